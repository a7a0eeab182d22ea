// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch;

/**
 * The answer to cancel, reschedule and retry. Each is a statement about what will happen.
 *
 * <table>
 * <caption>With a store</caption>
 * <tr><th>The message</th><th>cancel</th><th>reschedule</th><th>retry</th></tr>
 * <tr><td>waits for its time or its next try</td>
 *     <td>{@code DONE}</td><td>{@code DONE}</td><td>{@code DONE}</td></tr>
 * <tr><td>was sent, and nobody has begun it</td>
 *     <td>{@code DONE}</td><td>{@code DONE}</td><td>{@code DONE}, is sent again</td></tr>
 * <tr><td>is being handled</td><td>{@code BEING_HANDLED}</td>
 *     <td>{@code BEING_HANDLED}</td><td>{@code BEING_HANDLED}</td></tr>
 * <tr><td>failed or is parked</td>
 *     <td>{@code DONE}</td><td>{@code DONE}</td><td>{@code DONE}</td></tr>
 * <tr><td>is settled</td>
 *     <td>{@code TOO_LATE}</td><td>{@code TOO_LATE}</td><td>{@code TOO_LATE}</td></tr>
 * <tr><td>is cancelled</td>
 *     <td>{@code DONE}</td><td>{@code TOO_LATE}</td><td>{@code TOO_LATE}</td></tr>
 * <tr><td>has no row</td>
 *     <td>{@code UNKNOWN}</td><td>{@code UNKNOWN}</td><td>{@code UNKNOWN}</td></tr>
 * <tr><td>has {@code tracking: handoff}, and the broker may have it</td>
 *     <td>{@code TOO_LATE}</td><td>{@code TOO_LATE}</td><td>{@code DONE}, arrives once more</td></tr>
 * </table>
 *
 * <p>If an answer was lost, the call may be repeated. A repeated cancel is {@code DONE} until the
 * row is deleted. A repeated reschedule to the same instant is {@code DONE} until the message has
 * gone out then, also where the broker has it for that instant. With {@code tracking: handoff} each
 * retry sends a copy that nobody skips.
 */
public enum ChangeOutcome {
  /** The change is made. A cancelled message is not delivered. */
  DONE,

  /** A consumer is handling the message. Nothing changed; ask again when the handling has ended. */
  BEING_HANDLED,

  /**
   * The message is settled or handed off, or is cancelled and was to be rescheduled or retried. Or
   * it has no row to stop it, and is due within a second. Nothing changed.
   */
  TOO_LATE,

  /**
   * There is no such message. It was never held or stored, was delivered and cleaned up, or was
   * finished so long ago that its row was deleted. Also the answer to a repeated cancel of a
   * message in a temporary queue, which leaves no trace.
   */
  UNKNOWN,

  /**
   * The broker or the store could not be asked, or its answer was lost or late: the message may or
   * may not arrive. Only {@link DelayedPublisher#cancel} returns this; a store throws.
   */
  UNCERTAIN
}
