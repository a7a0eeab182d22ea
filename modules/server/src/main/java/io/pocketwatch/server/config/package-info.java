// SPDX-License-Identifier: Apache-2.0
/** The configuration file as the command line reads it. */
@NullMarked
package io.pocketwatch.server.config;

import org.jspecify.annotations.NullMarked;
