// SPDX-License-Identifier: Apache-2.0
/** What stands between a client and the handlers: its connections, its bodies, the load. */
@NullMarked
package io.pocketwatch.server.http;

import org.jspecify.annotations.NullMarked;
