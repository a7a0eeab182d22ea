// SPDX-License-Identifier: Apache-2.0
/** The life of a publish call, from the message to its receipt. Not API. */
@NullMarked
package io.pocketwatch.internal.publish;

import org.jspecify.annotations.NullMarked;
