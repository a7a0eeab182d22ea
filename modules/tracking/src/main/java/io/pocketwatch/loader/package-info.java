// SPDX-License-Identifier: Apache-2.0
/** Takes stored messages to the broker in time, brings back what was lost, and tidies up. */
@NullMarked
package io.pocketwatch.loader;

import org.jspecify.annotations.NullMarked;
