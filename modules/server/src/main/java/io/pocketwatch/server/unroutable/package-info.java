// SPDX-License-Identifier: Apache-2.0
/** What came due for a target that was gone: counted, and sent to it again. */
@NullMarked
package io.pocketwatch.server.unroutable;

import org.jspecify.annotations.NullMarked;
