// SPDX-License-Identifier: Apache-2.0
/** What a person and a program are told of a run. */
@NullMarked
package io.pocketwatch.lab.faults.report;

import org.jspecify.annotations.NullMarked;
