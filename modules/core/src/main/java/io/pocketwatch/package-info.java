// SPDX-License-Identifier: Apache-2.0
/** The publisher's API: publish a message with a delay or an instant, get a receipt. */
@NullMarked
package io.pocketwatch;

import org.jspecify.annotations.NullMarked;
