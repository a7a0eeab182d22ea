// SPDX-License-Identifier: Apache-2.0
/**
 * What every suite stands on: subjects, their servers, the ledger of one round, asking at a pace.
 */
@NullMarked
package io.pocketwatch.benchmarks.harness;

import org.jspecify.annotations.NullMarked;
