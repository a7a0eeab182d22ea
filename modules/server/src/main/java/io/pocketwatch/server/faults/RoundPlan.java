// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.server.faults;

import java.time.Duration;
import java.util.List;

/**
 * What is to happen in a round.
 *
 * @param prefix how the ids of its messages begin
 * @param messages how many
 * @param length from the first message to the last instant
 * @param faults earliest first
 * @param database where its database comes from
 * @param brokerVersion beginning of the wanted RabbitMQ version
 * @param seed of its messages
 */
record RoundPlan(
    String prefix,
    int messages,
    Duration length,
    List<Fault> faults,
    DatabaseSource database,
    String brokerVersion,
    long seed) {}
