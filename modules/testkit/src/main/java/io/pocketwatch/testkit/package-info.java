// SPDX-License-Identifier: Apache-2.0
/** JUnit extensions that bring a real broker, contract suites for strategies, and fault tools. */
@NullMarked
package io.pocketwatch.testkit;

import org.jspecify.annotations.NullMarked;
