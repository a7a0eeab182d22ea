// SPDX-License-Identifier: Apache-2.0
/** The store as the server opens it, and changes of its messages by hand. */
@NullMarked
package io.pocketwatch.server.store;

import org.jspecify.annotations.NullMarked;
