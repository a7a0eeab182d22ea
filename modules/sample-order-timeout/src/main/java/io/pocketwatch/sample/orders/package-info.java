// SPDX-License-Identifier: Apache-2.0
/** A shop whose orders are cancelled when nobody pays them in time. */
@NullMarked
package io.pocketwatch.sample.orders;

import org.jspecify.annotations.NullMarked;
