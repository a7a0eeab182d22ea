// SPDX-License-Identifier: Apache-2.0
/**
 * What waits for a person in a queue of ours. It came due for a target that was gone, or was given
 * up and has no row. Counted, shown with its reason, sent again, deleted.
 */
@NullMarked
package io.pocketwatch.server.kept;

import org.jspecify.annotations.NullMarked;
