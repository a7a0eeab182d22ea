// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.lab.faults.account;

import io.pocketwatch.config.HoldQueues.HoldQueueType;
import java.util.List;
import java.util.Map;

/**
 * What became of the messages of a round.
 *
 * @param fault its fault, or several with a plus between them
 * @param hold the type of its hold queues
 * @param figures what was counted; none is missing
 * @param worstLatenessMs from the instant to the handler
 * @param latest the lane of that message
 * @param broken what was promised and not kept, in words, or nothing; one line per kind
 * @param strikes how often each fault struck
 */
public record RoundResult(
    String fault,
    HoldQueueType hold,
    Map<Figure, Integer> figures,
    long worstLatenessMs,
    String latest,
    List<String> broken,
    Map<String, Integer> strikes) {

  /** One that could not be judged. */
  public static RoundResult failed(String fault, HoldQueueType hold, String why) {
    return new RoundResult(fault, hold, Map.of(), 0, "", List.of(why), Map.of());
  }

  public int of(Figure figure) {
    return figures.getOrDefault(figure, 0);
  }

  /** Whether all that was promised was kept. */
  public boolean sound() {
    return broken.isEmpty();
  }
}
