// SPDX-License-Identifier: Apache-2.0
/** The topology as values: names, keys, the wheel, queues, exchanges and bindings. Not API. */
@NullMarked
package io.pocketwatch.internal.topology;

import org.jspecify.annotations.NullMarked;
