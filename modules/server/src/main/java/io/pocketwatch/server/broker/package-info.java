// SPDX-License-Identifier: Apache-2.0
/** The broker that a command works on: how it is named, and what it says for itself. */
@NullMarked
package io.pocketwatch.server.broker;

import org.jspecify.annotations.NullMarked;
