// SPDX-License-Identifier: Apache-2.0
/** What shows Pocketwatch, plays with it and breaks it; never part of the production jar. */
@NullMarked
package io.pocketwatch.lab;

import org.jspecify.annotations.NullMarked;
