// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.server.console;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.pocketwatch.testkit.BrokerExtension;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/**
 * What an operator meets at three in the morning. From the first page it is two steps, by keyboard,
 * to what is late, why, and what mends it. Screenshots: {@code target/screenshots/rehearsal-*}.
 */
@Tag("wide")
class ConsoleRehearsalIT {
  @RegisterExtension
  static final BrokerExtension broker =
      BrokerExtension.anyVersion().dedicated().allowingOpenConnections();

  @TempDir static Path folder;

  private static final Duration NOTICED = Duration.ofSeconds(10);
  private static final Duration FROZEN = Duration.ofSeconds(60);
  private static final Duration STOPPED = Duration.ofSeconds(30);
  private static Browser browser;
  private static ConsoleGround ground;

  @BeforeAll
  static void start() throws Exception {
    browser = Browser.start();
    ground = new ConsoleGround(folder, broker);
  }

  @AfterAll
  static void stop() throws Exception {
    if (ground != null) {
      ground.close();
    }
    if (browser != null) {
      browser.close();
    }
  }

  @BeforeEach
  void open() {
    browser.pretendLaptop();
    browser.open(ground.url());
    browser.seeText("#live", "Live");
  }

  @Test
  void a_consumer_is_stopped() throws Exception {
    // A warning comes after two minutes.
    ground.scheduleFor(Instant.now().minus(Duration.ofMinutes(25)), "reminder", "late-1");
    browser.see("[data-tile=overdue].bad a");
    browser.seeText("#warnings li", "Route reminder");
    browser.screenshots("rehearsal-consumer-1");
    browser.enter("#warnings a[href='#routes/reminder']");
    browser.seeText("#route .flag.bad", "Nobody consumes queue reminder");
    browser.see("#route [data-key=test]");
    browser.screenshots("rehearsal-consumer-2");
    browser.enter("#route [data-key=overdue]");
    browser.seeText("#messages tbody .mark", "Sent");
    browser.seeText("#messages tbody tr.overdue", "late-1");
    browser.see("#messages [data-many]");
    ground.consume("reminder");
    browser.seeText("#messages .empty", "Nothing is overdue.");
  }

  @Test
  void a_target_is_deleted() throws Exception {
    ground.publish("plain", "lost-1", Duration.ofSeconds(4));
    ground.deleteQueue("plain");
    browser.seeText("#warnings li", "target that was gone");
    browser.enter("[data-tile=unroutable].bad a");
    browser.seeText("#unroutable tbody", "plain");
    browser.see("#unroutable [data-key=send-unroutable]");
    browser.screenshots("rehearsal-target");
    browser.set("#language", "zh");
    browser.seeText("#unroutable .reason", "没有队列 plain。");
    browser.set("#language", "en");
    browser.open(ground.url() + "#routes/plain");
    browser.seeText("#route .flag.bad", "queue plain, is not there");
  }

  @Test
  void a_callback_answers_503() throws Exception {
    ground.schedule("stock", "stock-1", Duration.ofSeconds(1));
    browser.enter("[data-tile=parked].bad a");
    browser.seeText("#parked .reason", "HTTP 503");
    browser.see("#parked [data-retry=stock]");
    browser.see("#parked [data-cancel=stock]");
    browser.screenshots("rehearsal-callback-1");
    browser.set("#language", "zh");
    browser.seeText("#parked .reason", "回调第 3 次后放弃：HTTP 状态 503");
    browser.set("#language", "en");
    browser.enter("#parked tbody a[href='#routes/stock']");
    browser.seeText("#route .flag.bad", "Its callback fails");
    browser.screenshots("rehearsal-callback-2");
  }

  @Test
  void the_broker_is_frozen() throws Exception {
    browser.see("#tiles .value");
    long begin = System.nanoTime();
    broker.node().pause();
    try {
      browser.see("#live[data-state=partly]");
      noticed(begin);
      browser.seeText("#notices .bad", "The broker");
      browser.screenshots("rehearsal-broker");
      lasted(begin, FROZEN);
      assertThat(browser.see("#notices").getText()).doesNotContain("null", "Exception");
    } finally {
      broker.node().resume();
    }
    browser.see("#live[data-state=live]");
  }

  @Test
  void the_database_is_stopped() throws Exception {
    browser.see("#tiles .value");
    long begin = System.nanoTime();
    ground.refuseDatabase(true);
    try {
      browser.see("#live[data-state=partly]");
      noticed(begin);
      browser.seeText("#notices .bad", "The database does not answer");
      browser.seeText("#history .flag", "As it was at");
      browser.screenshots("rehearsal-database");
      lasted(begin, STOPPED);
      browser.seeText("#stamp", "As it was at");
      assertThat(browser.see("#notices").getText()).doesNotContain("null", "Exception");
    } finally {
      ground.refuseDatabase(false);
    }
    browser.see("#live[data-state=live]");
  }

  private static void noticed(long begin) {
    assertThat(since(begin)).isLessThan(NOTICED.plusSeconds(2)); // of the page's own
  }

  private static void lasted(long begin, Duration outage) {
    await().atMost(outage.plusSeconds(9)).until(() -> since(begin).compareTo(outage) > 0);
  }

  private static Duration since(long begin) {
    return Duration.ofNanos(System.nanoTime() - begin);
  }
}
