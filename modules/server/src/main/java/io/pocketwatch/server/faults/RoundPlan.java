// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.server.faults;

import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What is to happen in a round.
 *
 * @param prefix how the ids of its messages begin
 * @param messages how many
 * @param length from the first message to the last instant
 * @param faults earliest first
 * @param store the JDBC URL of a database that stays, or null for one of its own
 * @param brokerVersion beginning of the wanted RabbitMQ version
 * @param seed of its messages
 */
record RoundPlan(
    String prefix,
    int messages,
    Duration length,
    List<Fault> faults,
    @Nullable String store,
    String brokerVersion,
    long seed) {}
