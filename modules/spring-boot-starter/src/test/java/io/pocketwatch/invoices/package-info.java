// SPDX-License-Identifier: Apache-2.0
/** Entities with listeners that send. */
@NullMarked
package io.pocketwatch.invoices;

import org.jspecify.annotations.NullMarked;
