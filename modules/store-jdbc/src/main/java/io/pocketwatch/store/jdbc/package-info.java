// SPDX-License-Identifier: Apache-2.0
/**
 * A {@link io.pocketwatch.store.DelayStore} over JDBC: PostgreSQL, MySQL and MariaDB, H2.
 *
 * <p>Start at {@link io.pocketwatch.store.jdbc.JdbcDelayStore}; tables come from {@link
 * io.pocketwatch.store.jdbc.JdbcSchema}.
 */
@NullMarked
package io.pocketwatch.store.jdbc;

import org.jspecify.annotations.NullMarked;
