// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.benchmarks.harness;

/** What a lane was asked for. */
public record Ask(int number, byte[] payload, long dueMillis) {}
