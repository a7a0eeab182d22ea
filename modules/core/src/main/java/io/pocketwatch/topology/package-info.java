// SPDX-License-Identifier: Apache-2.0
/** The exchanges, queues and bindings Pocketwatch uses on a broker, as data. No I/O. */
@NullMarked
package io.pocketwatch.topology;

import org.jspecify.annotations.NullMarked;
