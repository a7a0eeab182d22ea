// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.server.view;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * The callbacks of a route, as this server has made them since it started.
 *
 * @param url their URL, without user and query
 * @param called calls made, repeated ones too
 * @param retried calls that were not the first try of their message
 * @param parked messages given up after the last try
 * @param inFlight calls under way
 * @param lastAt when the last call ended, or null
 * @param lastStatus the HTTP status of its answer, or null if there was none
 * @param lastProblem why the target did not take it, or null if it did
 */
public record CallbackView(
    String route,
    String url,
    long called,
    long retried,
    long parked,
    int inFlight,
    @Nullable Instant lastAt,
    @Nullable Integer lastStatus,
    @Nullable String lastProblem) {}
