// SPDX-License-Identifier: Apache-2.0
/** {@code pocketwatch broker}: a private broker that outlives the command, to play with. */
@NullMarked
package io.pocketwatch.lab.broker;

import org.jspecify.annotations.NullMarked;
