// SPDX-License-Identifier: Apache-2.0
/**
 * What stands between a client and the resources: connections, bodies, load, problems, shared
 * answers.
 */
@NullMarked
package io.pocketwatch.server.http;

import org.jspecify.annotations.NullMarked;
