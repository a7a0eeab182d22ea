// SPDX-License-Identifier: Apache-2.0
/**
 * The layer between clients and resources: limits of connections, bodies and load, problems, shared
 * answers.
 */
@NullMarked
package io.pocketwatch.server.http;

import org.jspecify.annotations.NullMarked;
