// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.benchmarks.harness;

/** A subject at work in one round. */
public interface Lane extends AutoCloseable {

  /**
   * Asks for this message to arrive at that instant. Called by several threads at once; may wait
   * until there is room. What becomes of it goes to the ledger.
   *
   * @param payload {@link Payload#BYTES} bytes that carry the number, to be sent as they are
   * @param dueMillis epoch milliseconds
   */
  void ask(int number, byte[] payload, long dueMillis) throws Exception;

  /** Hands off what it may have kept back to batch it; called after the last {@link #ask}. */
  default void flush() throws Exception {}

  /** Ends its consumers and threads, and deletes what is left of the round. */
  @Override
  void close() throws Exception;
}
