// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.lab.faults.driver;

import io.pocketwatch.lab.faults.database.DatabaseSource;
import java.time.Duration;
import java.util.List;

/**
 * What is to happen in a run.
 *
 * @param rounds in order
 * @param messages per round
 * @param length of a round, from the first message to the last instant
 * @param database where each arena's comes from
 * @param brokerVersion beginning of the wanted RabbitMQ version
 * @param seed of messages and faults
 * @param brief whether faults last a quarter as long
 */
public record RunPlan(
    List<RoundPlan> rounds,
    int messages,
    Duration length,
    DatabaseSource database,
    String brokerVersion,
    long seed,
    boolean brief) {}
