// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.store;

import java.time.Duration;

/**
 * The wish to be the only one to load a row, for a while.
 *
 * @param owner who; unique per process and start
 * @param length for how long, counted on the database's clock; when it is over, anyone may claim
 */
public record Lease(String owner, Duration length) {}
