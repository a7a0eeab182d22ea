// SPDX-License-Identifier: Apache-2.0
/** Threads of the server, which do not keep it alive. */
@NullMarked
package io.pocketwatch.server.background;

import org.jspecify.annotations.NullMarked;
