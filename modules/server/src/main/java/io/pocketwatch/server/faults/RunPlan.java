// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.server.faults;

import java.time.Duration;
import java.util.Map;

/**
 * What is to happen in a run.
 *
 * @param rounds how many
 * @param messages per round
 * @param length of a round, from the first message to the last instant
 * @param kills how many of each kind over all rounds
 * @param database where each round's comes from
 * @param brokerVersion beginning of the wanted RabbitMQ version
 * @param seed of messages and faults
 */
record RunPlan(
    int rounds,
    int messages,
    Duration length,
    Map<FaultKind, Integer> kills,
    DatabaseSource database,
    String brokerVersion,
    long seed) {}
