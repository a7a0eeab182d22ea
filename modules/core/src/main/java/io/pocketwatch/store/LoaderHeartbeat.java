// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.store;

import java.time.Instant;

/**
 * A sign of life of a loader.
 *
 * @param owner which one
 * @param at when, on the database's clock; ignored on the way in, the database says when
 * @param horizon how far it has loaded
 * @param loaded how many messages it has handed over since it started
 */
public record LoaderHeartbeat(String owner, Instant at, Instant horizon, long loaded) {}
