// SPDX-License-Identifier: Apache-2.0
/** For the tests of applications: a broker, and time that a test can move. */
@NullMarked
package io.pocketwatch.test;

import org.jspecify.annotations.NullMarked;
