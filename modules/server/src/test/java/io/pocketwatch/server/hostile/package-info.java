// SPDX-License-Identifier: Apache-2.0
/** Messages from somebody who means harm, sent past all checks of ours. */
@NullMarked
package io.pocketwatch.server.hostile;

import org.jspecify.annotations.NullMarked;
