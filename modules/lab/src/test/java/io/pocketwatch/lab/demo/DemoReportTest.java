// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.lab.demo;

import static io.pocketwatch.lab.demo.Messages.DUE;
import static io.pocketwatch.lab.demo.Messages.confirmed;
import static io.pocketwatch.lab.demo.Messages.delivery;
import static io.pocketwatch.lab.demo.Messages.order;
import static org.assertj.core.api.Assertions.assertThat;

import io.pocketwatch.DelayStrategy;
import java.time.Duration;
import java.time.Instant;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class DemoReportTest {

  private final Map<DelayStrategy, Tally> tallies = new EnumMap<>(DelayStrategy.class);

  @Test
  void json_is_one_line_with_the_total_at_the_top() {
    add(DelayStrategy.TTL_QUEUE, DUE.plusMillis(2));
    add(DelayStrategy.QUEUE_WHEEL, DUE.plusMillis(10), DUE.plusNanos(20_440_000));

    String nothingWrong =
        "'cancelled':0,'unconfirmed':0,'lost':0,'early':0,'duplicates':0,'unexplained':0";
    String expected =
        "{'scheduled':3,'delivered':3,"
            + nothingWrong
            + ",'latenessMs':{'p50':10.0,'p99':20.4,'max':20.4},"
            + "'strategies':{'TTL_QUEUE':{'scheduled':1,'delivered':1,"
            + nothingWrong
            + ",'latenessMs':{'p50':2.0,'p99':2.0,'max':2.0}},"
            + "'QUEUE_WHEEL':{'scheduled':2,'delivered':2,"
            + nothingWrong
            + ",'latenessMs':{'p50':10.0,'p99':20.4,'max':20.4}}},"
            + "'broker':{'version':'4.3.6','source':'packages'},'seconds':21.3}";
    assertThat(report().json()).isEqualTo(expected.replace('\'', '"'));
    assertThat(report().sound()).isTrue();
  }

  @Test
  void an_early_arrival_does_not_improve_the_lateness() {
    add(DelayStrategy.TTL_QUEUE, DUE.minusMillis(5), DUE.plusMillis(8));

    assertThat(report().total().early()).isEqualTo(1);
    assertThat(report().total().latenessMs()).isEqualTo(new Lateness(8.0, 8.0, 8.0));
    assertThat(report().sound()).isFalse();
  }

  @Test
  void without_arrivals_there_is_no_lateness() {
    Entry lost = new Entry(order(1));
    lost.receipt(confirmed("1"));
    tallies.computeIfAbsent(DelayStrategy.TTL_QUEUE, strategy -> new Tally()).add(lost);

    assertThat(report().json()).contains("\"latenessMs\":{\"p50\":null,\"p99\":null,\"max\":null}");
    assertThat(ReportLines.table(report()))
        .containsExactly(
            "strategy   TTL_QUEUE  all",
            "sent               1    1",
            "arrived            0    0",
            "cancelled          0    0",
            "late p50           -    -",
            "late p99           -    -",
            "late max           -    -",
            "early              0    0",
            "lost               1    1",
            "twice              0    0");
    assertThat(ReportLines.verdict(report().total())).isEqualTo("Not as promised: 1 lost.");
  }

  @Test
  void its_table_fits_80_columns() {
    Lateness lateness = new Lateness(12_345.6, 123_456.7, 1_234_567.8);
    Counts most = new Counts(1_000_000, 1_000_000, 0, 0, 0, 0, 0, 0, lateness);
    Map<DelayStrategy, Counts> all = new EnumMap<>(DelayStrategy.class);
    for (DelayStrategy strategy :
        List.of(
            DelayStrategy.TTL_QUEUE,
            DelayStrategy.QUEUE_WHEEL,
            DelayStrategy.TEMPORARY_QUEUE,
            DelayStrategy.DELAYED_EXCHANGE)) {
      all.put(strategy, most);
    }
    assertThat(
            ReportLines.table(
                new DemoReport(most, all, new DemoReport.Broker("4.3.6", "packages"), null, 1)))
        .allSatisfy(line -> assertThat(line).hasSizeLessThanOrEqualTo(80));
  }

  @Test
  void verdict_says_what_was_promised_and_kept() {
    Lateness lateness = new Lateness(1.0, 2.0, 3.0);

    assertThat(ReportLines.verdict(new Counts(2000, 1975, 25, 0, 0, 0, 0, 0, lateness)))
        .isEqualTo(
            "All 2,000 accounted for: 1,975 delivered, 25 cancelled."
                + " None lost, none early, none twice.");
    assertThat(ReportLines.verdict(new Counts(10, 10, 0, 0, 0, 0, 2, 0, lateness)))
        .isEqualTo("All 10 accounted for: 10 delivered. None lost, none early, 2 twice.");
    assertThat(ReportLines.verdict(new Counts(10, 4, 0, 1, 2, 1, 0, 3, lateness)))
        .isEqualTo(
            "Not as promised: 2 lost, 1 early, 1 not confirmed by the broker, 3 unexplained.");
  }

  private void add(DelayStrategy strategy, Instant... arrivals) {
    for (Instant arrival : arrivals) {
      Entry entry = new Entry(order(1));
      entry.receipt(confirmed("1"));
      entry.arrived(delivery("1"), arrival);
      tallies.computeIfAbsent(strategy, each -> new Tally()).add(entry);
    }
  }

  private DemoReport report() {
    return DemoReport.of(
        tallies, new DemoReport.Broker("4.3.6", "packages"), Duration.ofMillis(21_340));
  }
}
