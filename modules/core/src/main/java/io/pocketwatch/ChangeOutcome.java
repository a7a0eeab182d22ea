// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch;

/**
 * The answer to cancel, reschedule and release. Each is a statement about what will happen.
 *
 * <table>
 * <caption>With a store</caption>
 * <tr><th>The message</th><th>cancel</th><th>reschedule</th><th>release</th></tr>
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
 * <p>Whoever has not had the answer may ask again. A repeated cancel is {@code DONE} until the row
 * is history. A repeated move to the same instant is {@code DONE} until the message has gone out
 * then, also where the broker has it for that instant. With {@code tracking: handoff} each release
 * sends a copy that nobody skips.
 */
public enum ChangeOutcome {
  /** Done: what was asked for is what will happen. A cancelled message is not delivered. */
  DONE,

  /** A consumer is handling it right now. Nothing changed; ask again when it has ended. */
  BEING_HANDLED,

  /**
   * It was settled or handed off before, or it is cancelled and was to be moved or released. Or it
   * is due within a second without a row to stop it. Nothing changed.
   */
  TOO_LATE,

  /**
   * There is no such message. It was never held or stored, was delivered and cleaned up, or was
   * finished so long ago that its row was deleted. So is one that was in a temporary queue and is
   * cancelled: nobody keeps that.
   */
  UNKNOWN,

  /**
   * The broker or the store could not be asked, or its answer was lost or late: the message may or
   * may not arrive. Only {@link DelayedPublisher#cancel} answers so; a store throws.
   */
  UNCERTAIN
}
