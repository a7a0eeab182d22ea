// SPDX-License-Identifier: Apache-2.0
/**
 * Auto-configuration for Spring Boot; classes that differ between Boot 3 and 4 have own folders.
 */
@NullMarked
package io.pocketwatch.boot;

import org.jspecify.annotations.NullMarked;
