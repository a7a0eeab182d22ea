// SPDX-License-Identifier: Apache-2.0
/** What is read of an exchange, and how it is kept. */
@NullMarked
package io.pocketwatch.server.migrate;

import org.jspecify.annotations.NullMarked;
