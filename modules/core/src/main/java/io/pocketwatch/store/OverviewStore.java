// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.store;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;

/** What people want to see of a store as a whole. Live rows only; the history is not counted. */
public interface OverviewStore {
  /** As {@link SchedulingStore#list}, but payloads are left in the database. */
  List<MessageSummary> summaries(MessageQuery query);

  /** How many messages are in each state, by route; what there is none of is left out. */
  Map<String, Map<MessageState, Long>> countsByState();

  /**
   * How many {@code PENDING} and {@code HELD} messages come due in each step of a time range.
   *
   * @param step at least 1 ms; the range is at most 10,000 of them
   * @return by route and then by step, those with none left out
   */
  List<DueCount> dueCounts(Instant from, Instant until, Duration step);

  /**
   * {@code PARKED} and {@code FAILED} messages by route, state and reason, the most frequent first.
   *
   * @param limit at most so many, 1 to 1,000
   */
  List<ReasonCount> reasons(int limit);

  /** What happened in a time range, whichever process did it. */
  Activity activity(Instant from, Instant until);
}
