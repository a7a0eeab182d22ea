// SPDX-License-Identifier: Apache-2.0
/** Auto-configuration for Spring Boot 3.5. */
@NullMarked
package io.pocketwatch.boot;

import org.jspecify.annotations.NullMarked;
