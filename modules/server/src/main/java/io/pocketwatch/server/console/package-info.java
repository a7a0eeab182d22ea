// SPDX-License-Identifier: Apache-2.0
/** The page a person looks at. */
@NullMarked
package io.pocketwatch.server.console;

import org.jspecify.annotations.NullMarked;
