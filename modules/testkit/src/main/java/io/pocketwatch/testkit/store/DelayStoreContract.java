// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.testkit.store;

/**
 * Everything a store promises. A test class implements {@link #store} and gets every test. The
 * database is empty when the class begins, and no test minds what the others leave. They may run in
 * any order, but not at the same time.
 */
public interface DelayStoreContract
    extends ScheduleContract,
        ClaimContract,
        MarkContract,
        SettleContract,
        ChangeContract,
        ChangeManyContract,
        RecoveryContract,
        QueryContract,
        OverviewContract,
        RetentionContract,
        ScheduleStoreContract {}
