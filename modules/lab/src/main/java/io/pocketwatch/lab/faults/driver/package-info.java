// SPDX-License-Identifier: Apache-2.0
/** Runs the rounds: brokers, database and processes, the messages, the strike, the end. */
@NullMarked
package io.pocketwatch.lab.faults.driver;

import org.jspecify.annotations.NullMarked;
