// SPDX-License-Identifier: Apache-2.0
/**
 * What the broker could not pass on: messages of ours that wait for a person, counted, shown with
 * their reason, sent again, deleted; and hold queues that no longer take messages or pass them on.
 */
@NullMarked
package io.pocketwatch.server.deadletter;

import org.jspecify.annotations.NullMarked;
