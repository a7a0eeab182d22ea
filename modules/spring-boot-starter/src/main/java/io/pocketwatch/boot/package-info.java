// SPDX-License-Identifier: Apache-2.0
/**
 * Auto-configuration for Spring Boot; what differs between its lines lies in folders of its own.
 */
@NullMarked
package io.pocketwatch.boot;

import org.jspecify.annotations.NullMarked;
