// SPDX-License-Identifier: Apache-2.0
/** What the guides of this module show. */
@NullMarked
package io.pocketwatch.spring.docs;

import org.jspecify.annotations.NullMarked;
