// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.spring.wiring;

import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;

/**
 * The beans that every application has: {@link PublisherWiring} and {@link ListeningWiring}. The
 * template and the store are wired separately.
 */
@Configuration(proxyBeanMethods = false)
@Import({PublisherWiring.class, ListeningWiring.class})
public class PocketwatchWiring {}
