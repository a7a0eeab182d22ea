// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.spring.wiring;

import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;

/**
 * What every application has: {@link PublisherWiring} and {@link ListeningWiring}. The template and
 * the store are wired apart.
 */
@Configuration(proxyBeanMethods = false)
@Import({PublisherWiring.class, ListeningWiring.class})
public class PocketwatchWiring {}
