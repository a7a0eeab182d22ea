// SPDX-License-Identifier: Apache-2.0
/**
 * The beans of an application, for Boot starters and for applications without Boot, which import
 * {@link io.pocketwatch.spring.wiring.PocketwatchWiring}. No type of Boot is used here.
 */
@NullMarked
package io.pocketwatch.spring.wiring;

import org.jspecify.annotations.NullMarked;
