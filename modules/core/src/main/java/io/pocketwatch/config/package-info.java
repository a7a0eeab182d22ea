// SPDX-License-Identifier: Apache-2.0
/** Routes and options, built in code or read from YAML. */
@NullMarked
package io.pocketwatch.config;

import org.jspecify.annotations.NullMarked;
