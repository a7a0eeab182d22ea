// SPDX-License-Identifier: Apache-2.0
/** Sends the due messages of some routes to HTTP URLs. */
@NullMarked
package io.pocketwatch.server.callback;

import org.jspecify.annotations.NullMarked;
