// SPDX-License-Identifier: Apache-2.0
/** Hold queues that no longer take messages, or pass them on: found, named, made anew. */
@NullMarked
package io.pocketwatch.server.hold;

import org.jspecify.annotations.NullMarked;
