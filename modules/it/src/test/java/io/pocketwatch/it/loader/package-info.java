// SPDX-License-Identifier: Apache-2.0
/** Loaders on real brokers and databases. */
@NullMarked
package io.pocketwatch.it.loader;

import org.jspecify.annotations.NullMarked;
