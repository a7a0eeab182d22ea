// SPDX-License-Identifier: Apache-2.0
/** The publisher's API: hand over a message and an instant, get a receipt. */
@NullMarked
package io.pocketwatch;

import org.jspecify.annotations.NullMarked;
