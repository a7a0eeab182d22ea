// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.lab.faults.account;

import io.pocketwatch.config.DelayRoute.Tracking;
import io.pocketwatch.config.HoldQueues.HoldQueueType;
import java.util.Arrays;
import java.util.Collection;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The guarantee table: what each fault may do, by tracking and by the type of the hold queues. The
 * verdict of every round is read from here.
 *
 * <p>An untracked message that was stored may do what its column and that of {@code handoff} allow.
 * What no cell need allow: a message whose sender got no answer, and sent it again under its id,
 * may come twice. Policies allow a copy for the connections that are cut after them. What no cell
 * can allow: a second effect on a route with {@code tracking: full}, an early one there, and a
 * message the publisher never takes.
 */
public final class Guarantees {
  private static final String TABLE =
      """
      fault                      | none/quorum       | none/classic          | handoff/quorum         | handoff/classic        | full/quorum | full/classic
      broker-killed              | twice             | twice lost-near       | twice                  | twice lost-near        | twice       | twice
      broker-down                | twice             | twice lost-near       | twice                  | twice lost-near        | twice       | twice
      broker-wiped               | twice parked lost | twice parked lost     | twice parked lost-near | twice parked lost-near | twice       | twice
      broker-paused              | twice             | twice                 | twice                  | twice                  | twice       | twice
      network-cut                | twice             | twice                 | twice                  | twice                  | twice       | twice
      network-stalled            | twice             | twice                 | twice                  | twice                  | twice       | twice
      publisher-killed           | -                 | -                     | twice                  | twice                  | twice       | twice
      consumer-killed            | twice             | twice                 | twice                  | twice                  | twice       | twice
      loader-killed              | -                 | -                     | twice                  | twice                  | twice       | twice
      loader-twice               | -                 | -                     | twice                  | twice                  | twice       | twice
      database-killed            | -                 | -                     | twice                  | twice                  | twice       | twice
      database-paused            | -                 | -                     | twice                  | twice                  | twice       | twice
      memory-alarm               | -                 | -                     | twice                  | twice                  | twice       | twice
      disk-alarm                 | -                 | -                     | twice                  | twice                  | twice       | twice
      target-full                | twice             | twice lost            | twice                  | twice lost             | twice       | twice
      target-deleted             | parked            | parked                | parked                 | parked                 | twice       | twice
      policy-message-ttl         | twice early       | twice early           | twice early            | twice early            | twice       | twice
      policy-expires             | twice parked lost | twice parked lost     | twice parked lost      | twice parked lost      | twice       | twice
      policy-dead-letter-key     | twice parked      | twice parked lost     | twice parked           | twice parked lost      | twice       | twice
      clock-ahead                | -                 | -                     | twice                  | twice                  | twice       | twice
      clock-behind               | -                 | -                     | twice                  | twice                  | twice       | twice
      node-killed                | twice             | twice lost            | twice                  | twice lost             | twice       | twice
      leader-killed              | twice             | twice lost            | twice                  | twice lost             | twice       | twice
      majority-killed            | twice             | twice lost            | twice                  | twice lost             | twice       | twice
      node-paused                | twice             | twice lost            | twice                  | twice lost             | twice       | twice
      node-partitioned           | twice             | twice lost            | twice                  | twice lost             | twice       | twice
      classic-target-node-killed | twice             | twice lost            | twice                  | twice lost             | twice       | twice
      sink-node-killed           | twice             | twice lost            | twice                  | twice lost             | twice       | twice
      rolling-restart            | twice             | twice lost            | twice                  | twice lost             | twice       | twice
      broker-clock-set           | twice early       | twice early lost-near | twice early            | twice early lost-near  | twice       | twice
      leader-clock-behind        | twice early       | twice lost            | twice early            | twice lost             | twice       | twice
      """;

  private static final String STORED =
      "An untracked message due beyond the horizon is stored until a loader has handed it over;"
          + " it may do what a handoff one may, too.";

  private static final String NOTHING = "-";
  private static final Map<String, Map<String, Set<Leave>>> ROWS = parse();

  private Guarantees() {}

  /** What any of these faults allows. */
  static Set<Leave> allow(Collection<String> faults, Tracking tracking, HoldQueueType hold) {
    Set<Leave> allowed = EnumSet.noneOf(Leave.class);
    String column = "%s/%s".formatted(tracking, hold).toLowerCase(Locale.ROOT);
    for (String fault : faults) {
      Map<String, Set<Leave>> row = ROWS.get(fault);
      if (row == null) {
        throw new IllegalArgumentException("the guarantee table has no row for " + fault);
      }
      allowed.addAll(row.getOrDefault(column, Set.of()));
    }
    return allowed;
  }

  /** The faults it has rows for. */
  public static Set<String> faults() {
    return ROWS.keySet();
  }

  /** For a person. */
  public static List<String> lines() {
    return Stream.concat(TABLE.lines(), Stream.of("", STORED)).toList();
  }

  private static Map<String, Map<String, Set<Leave>>> parse() {
    List<String[]> lines = TABLE.lines().map(line -> line.split("\\|")).toList();
    String[] head = lines.get(0);
    Map<String, Map<String, Set<Leave>>> rows = new LinkedHashMap<>();
    for (String[] line : lines.subList(1, lines.size())) {
      Map<String, Set<Leave>> row = new LinkedHashMap<>();
      for (int column = 1; column < head.length; column++) {
        row.put(head[column].strip(), leaves(line[column].strip()));
      }
      rows.put(line[0].strip(), row);
    }
    return rows;
  }

  private static Set<Leave> leaves(String cell) {
    return Arrays.stream(cell.split(" "))
        .filter(word -> !word.equals(NOTHING))
        .map(Leave::of)
        .collect(Collectors.toUnmodifiableSet());
  }
}
