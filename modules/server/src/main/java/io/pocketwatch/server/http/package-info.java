// SPDX-License-Identifier: Apache-2.0
/**
 * What stands between a client and the handlers: its connections, its requests' bodies, its turn.
 */
@NullMarked
package io.pocketwatch.server.http;

import org.jspecify.annotations.NullMarked;
