// SPDX-License-Identifier: Apache-2.0
/** The verbs about stored messages. */
@NullMarked
package io.pocketwatch.server.store;

import org.jspecify.annotations.NullMarked;
