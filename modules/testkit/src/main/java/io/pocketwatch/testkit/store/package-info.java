// SPDX-License-Identifier: Apache-2.0
/**
 * What every message store promises, as suites to be run against a real database, and such
 * databases.
 *
 * <p>A store's test implements {@link io.pocketwatch.testkit.store.DelayStoreContract}. {@link
 * io.pocketwatch.testkit.store.TestDatabases} finds or starts the server.
 */
@NullMarked
package io.pocketwatch.testkit.store;

import org.jspecify.annotations.NullMarked;
