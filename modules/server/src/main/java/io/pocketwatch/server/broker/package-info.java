// SPDX-License-Identifier: Apache-2.0
/** The broker that a command works on: its addresses, connections and management API. */
@NullMarked
package io.pocketwatch.server.broker;

import org.jspecify.annotations.NullMarked;
