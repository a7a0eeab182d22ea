// SPDX-License-Identifier: Apache-2.0
/** What is configured: delay routes and how held messages are kept, from YAML or from code. */
@NullMarked
package io.pocketwatch.route;

import org.jspecify.annotations.NullMarked;
