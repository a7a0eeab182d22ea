// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.server.faults;

import java.time.Duration;

/**
 * One kill.
 *
 * @param kind whose
 * @param at when, from the beginning of its round
 */
record Fault(FaultKind kind, Duration at) {}
