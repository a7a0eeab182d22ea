// SPDX-License-Identifier: Apache-2.0
/**
 * Messages of ours that wait in queues for a person: counted, shown with their reason, sent again
 * or deleted. Also hold queues that no longer take messages or pass them on.
 */
@NullMarked
package io.pocketwatch.server.deadletter;

import org.jspecify.annotations.NullMarked;
