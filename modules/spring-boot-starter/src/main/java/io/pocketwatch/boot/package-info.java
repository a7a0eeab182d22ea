// SPDX-License-Identifier: Apache-2.0
/** Auto-configuration for Spring Boot 4.0 and 4.1. */
@NullMarked
package io.pocketwatch.boot;

import org.jspecify.annotations.NullMarked;
