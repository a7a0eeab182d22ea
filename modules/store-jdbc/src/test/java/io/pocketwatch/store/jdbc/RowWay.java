// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.store.jdbc;

import io.pocketwatch.store.StoredMessage.MessageState;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.function.Consumer;

/** In which ways ROW.md says a row can be, and a short way there. */
enum RowWay {
  NO_ROW("no row", it -> {}),
  FREE("free", RowVisit::insert),
  PAUSED("paused", it -> it.claimed(RowVisit.HOUR).postponeClaim()),
  PUT_OFF("put off", it -> it.begun(RowVisit.HOUR).postpone()),
  LOADER("loader", it -> it.claimed(RowVisit.HOUR)),
  LATE_LOADER("late loader", it -> it.claimed(RowVisit.NOTHING)),
  CONSUMER("consumer", it -> it.begun(RowVisit.HOUR)),
  LATE_CONSUMER("late consumer", it -> it.begun(RowVisit.NOTHING)),
  COPY_DROPPED("copy dropped", it -> it.begun(RowVisit.HOUR).beginAnother()),
  HELD("HELD", it -> it.claimed(RowVisit.HOUR).sent()),
  FAILED("FAILED", it -> it.begun(RowVisit.HOUR).fail()),
  PARKED("PARKED", it -> it.begun(RowVisit.HOUR).park()),
  SETTLED("SETTLED", it -> it.begun(RowVisit.HOUR).settle()),
  CANCELLED("CANCELLED", it -> it.insert().cancel());

  final String words;
  final Consumer<RowVisit> there;

  RowWay(String words, Consumer<RowVisit> there) {
    this.words = words;
    this.there = there;
  }

  static Map<String, RowWay> byWords() {
    Map<String, RowWay> ways = new LinkedHashMap<>();
    Arrays.stream(values()).forEach(way -> ways.put(way.words, way));
    return ways;
  }

  /** In which a row is that has these columns. */
  static RowWay of(Map<String, Object> row) {
    if (row.isEmpty()) {
      return NO_ROW;
    }
    String state = (String) Objects.requireNonNull(row.get("state"));
    if (!state.equals(MessageState.PENDING.name())) {
      return valueOf(state);
    }
    long now = number(row, "now");
    boolean late = number(row, "lease_until") <= now;
    if (row.get("holder") == null) {
      if (number(row, "next_at") <= now) {
        return FREE;
      }
      return row.get("next_queue") == null ? PAUSED : PUT_OFF;
    }
    if (row.get("begun_at") == null) {
      return late ? LATE_LOADER : LOADER;
    }
    boolean dropped = Boolean.TRUE.equals(row.get("copy_dropped"));
    return late ? LATE_CONSUMER : dropped ? COPY_DROPPED : CONSUMER;
  }

  static long number(Map<String, Object> row, String column) {
    return ((Number) Objects.requireNonNull(row.get(column))).longValue();
  }
}
