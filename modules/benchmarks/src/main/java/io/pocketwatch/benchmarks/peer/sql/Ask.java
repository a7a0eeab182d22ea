// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.benchmarks.peer.sql;

/** What a lane was asked for. */
record Ask(int number, byte[] payload, long dueMillis) {}
