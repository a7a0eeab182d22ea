// SPDX-License-Identifier: Apache-2.0
/** What every strategy promises, as abstract suites to be run against a real broker. */
@NullMarked
package io.pocketwatch.testkit.contract;

import org.jspecify.annotations.NullMarked;
