// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.server.console;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.pocketwatch.testkit.BrokerExtension;
import java.nio.file.Path;
import java.time.Duration;
import java.time.LocalDateTime;
import java.time.ZoneId;
import java.time.temporal.ChronoUnit;
import java.util.Base64;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.openqa.selenium.Keys;

/** What a person does with the page. Screenshots: {@code target/screenshots}. */
@Tag("wide")
class ConsoleIT {
  @RegisterExtension static final BrokerExtension broker = BrokerExtension.anyVersion();
  @TempDir static Path folder;

  private static final String HOSTILE = "<img src=x onerror=document.title='broken-into'>";
  private static final Duration LATER = Duration.ofHours(3);

  /** Each with something that is there when it is filled. */
  private static final Map<String, String> VIEWS =
      new TreeMap<>(
          Map.of(
              "overview", "#history canvas",
              "messages", "#messages tbody tr:nth-child(5)",
              "messages?state=PARKED,FAILED", "#parked tbody tr",
              "routes", "#callbacks tbody tr",
              "schedules", "#schedules .try",
              "broker", "#loaders tbody tr"));

  private static Browser browser;
  private static ConsoleGround ground;

  @BeforeAll
  static void start() throws Exception {
    browser = Browser.start();
    ground = new ConsoleGround(folder, broker);
    for (String route : new String[] {"order-timeout", "reminder", "review", "basket"}) {
      ground.consume(route);
    }
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
    browser.run("localStorage.clear()");
    browser.open(ground.url());
    browser.seeText("#live", "Live");
  }

  @Test
  void scheduled_seen_moved_cancelled() throws Exception {
    ground.schedule("reminder", "order-1001", LATER);
    find("order-1001");
    browser.click("#messages button.link");
    browser.seeText("#message", "order-1001");
    browser.seeText("#message .mark", "Waiting");

    browser.click("[data-action=reschedule]");
    LocalDateTime then =
        LocalDateTime.now(ZoneId.of("Asia/Shanghai")).plusDays(2).truncatedTo(ChronoUnit.MINUTES);
    browser.seeText("#confirm", "Asia/Shanghai (GMT+08:00)");
    browser.set("#confirm input", then + ":30");
    browser.click("#confirm-yes");
    browser.seeText("#outcome", "Done: it is due");
    browser.seeText("#outcome", String.format(Locale.ROOT, "%02d:30", then.getMinute()));

    browser.click("[data-action=cancel]");
    browser.click("#confirm-yes");
    browser.seeText("#outcome", "Done: it is cancelled");
    browser.seeText("#message .mark", "Cancelled");
    browser.seeNo("[data-action]");
    browser.click("#message [data-key=close]");
    browser.seeText("#messages .mark", "Cancelled");
    assertThat(browser.complaints()).isEmpty();
  }

  @Test
  void a_message_is_watched_as_it_arrives() throws Exception {
    ground.schedule("order-timeout", "order-1002", LATER);
    find("order-1002");
    browser.click("#messages button.link");
    browser.click("[data-action=send-now]");
    browser.click("#confirm-yes");
    browser.seeText("#outcome", "Done: it is due now");
    browser.click("#message [data-key=close]");
    browser.seeText("#messages .mark", "Settled");
    assertThat(browser.complaints()).isEmpty();
  }

  @Test
  void what_is_parked_is_retried() throws Exception {
    ground.schedule("invoice", "order-1003", LATER, HOSTILE, "\"" + HOSTILE + "\"");
    assertThat(ground.park("invoice", LATER, "no queue is bound " + HOSTILE)).isEqualTo(1);
    browser.click("[data-tile=parked].bad a");
    browser.seeText("#parked .reason", HOSTILE);

    browser.click("#parked [data-retry=invoice]");
    browser.seeText("#many .facts", HOSTILE);
    browser.click("#many-count");
    browser.seeText("#many-matching", "Messages like that now: 1.");
    browser.click("#many-go");
    browser.seeText("#many-outcome", "Done: 1 changed.");
    browser.click("#many [data-key=many-close]");
    browser.seeNo("#parked [data-retry=invoice]");
    find("order-1003");
    browser.seeText("#messages .mark", "Waiting");
    browser.seeText("#messages tbody", HOSTILE);
    browser.click("#messages button.link");
    browser.seeText("#message pre", HOSTILE);
    assertThat(browser.run("return document.title")).asString().endsWith("Messages · Pocketwatch");
    assertThat(browser.complaints()).isEmpty();
  }

  @Test
  void a_messages_life_is_a_line() throws Exception {
    ground.schedule("order-timeout", "life-1", LATER);
    ground.post("/api/v1/messages/order-timeout/life-1/send-now");
    find("life-1");
    browser.seeText("#messages .mark", "Settled");
    browser.click("#messages button.link");
    browser.seeText("#message [data-event=scheduled]", "due ");
    browser.seeText("#message [data-event=rescheduled]", "by http:anybody");
    browser.see("#message [data-event=due]");
    browser.seeText("#message [data-event=delivered]", "late");
    browser.seeText("#message [data-event=settled]", "order-timeout");
    browser.screenshot("life");
    browser.pretendPhone();
    browser.screenshot("life-phone");
    browser.click("#message [data-key=close]");
    browser.set("#language", "zh");
    browser.click("#messages button.link");
    browser.seeText("#message [data-event=rescheduled]", "操作者 http:anybody");
    browser.screenshot("life-phone-chinese");
    assertThat(browser.run("return document.documentElement.scrollWidth")).isEqualTo(390L);

    browser.pretendLaptop();
    ground.schedule("order-timeout", "life-2", Duration.ofMinutes(40));
    browser.click("#message [data-key=close]");
    find("life-2");
    browser.click("#messages button.link");
    browser.see("#message [data-event=due].ahead");
    browser.screenshot("life-ahead-chinese");
    assertThat(browser.complaints()).isEmpty();
  }

  @Test
  void a_card_of_a_route_leads_to_its_messages() throws Exception {
    ground.schedule("plan", "card-1", LATER);
    browser.go("routes");
    browser.click("#routes [data-route=plan] [data-of=PENDING]");
    browser.seeText("#messages tbody", "card-1");
    assertThat(browser.address()).contains("#messages?", "route=plan", "state=PENDING");
    browser.open(browser.address());
    browser.seeText("#messages tbody", "card-1");
    ground.post("/api/v1/messages/plan/card-1/cancel");
  }

  @Test
  void the_figures_of_one_route_do_not_stand_under_anothers_name() {
    browser.open(ground.url() + "#routes/plan");
    browser.see("#route [data-part=counts]");
    browser.run("location.hash = '#routes/gone'");
    browser.seeText("#route-title", "gone");
    browser.seeNo("#route [data-part=counts]");
    assertThat(browser.complaints()).allSatisfy(each -> assertThat(each).contains("routes/gone"));
  }

  @Test
  void a_list_has_pages_and_each_an_address() {
    browser.go("messages");
    browser.seeText("#search [name=route]", "review");
    browser.set("#search [name=route]", "review");
    browser.seeText("#messages tbody tr:first-child td:nth-child(4)", "review");
    String first = browser.see("#messages tbody tr:first-child th").getText();
    browser.click("#messages [data-key=next]");
    browser.see("#messages [data-key=first]");
    String second = browser.see("#messages tbody tr:first-child th").getText();
    assertThat(second).isNotEqualTo(first);
    assertThat(browser.address()).contains("cursor=");
    browser.open(browser.address());
    browser.seeText("#messages tbody tr:first-child th", second);
    browser.click("#messages [data-key=first]");
    browser.seeNo("#messages [data-key=first]");
    browser.back();
    browser.seeText("#messages tbody tr:first-child th", second);
  }

  /** As on a phone, where it is how one closes what fills the screen. */
  @Test
  void back_leads_to_what_was_there_before() throws Exception {
    ground.schedule("reminder", "back-1", LATER);
    browser.go("schedules");
    browser.seeNo("#numbers");
    browser.see(".menu a[href='#schedules'][aria-current=page]");
    find("back-1");
    browser.click("#messages button.link");
    browser.seeText("#message h2", "back-1");
    browser.back();
    browser.seeNo("#message");
    browser.seeText("#messages tbody th", "back-1");
    browser.click("#messages button.link");
    browser.click("#message [data-key=close]"); // which leaves nothing to go back to
    browser.seeNo("#message");
    browser.back();
    browser.see("#messages tbody tr:nth-child(2)");
    browser.back();
    browser.see("#schedules .try");
    browser.back();
    browser.see("#tiles .value");
    assertThat(browser.complaints()).isEmpty();
  }

  @Test
  void a_day_a_week_and_a_month_of_history() throws Exception {
    browser.seeText("#history .sums", "scheduled");
    browser.seeText("#history .sums", "≤ "); // a histogram knows bounds
    browser.see("#history canvas");
    assertThat(points()).isEqualTo(96L);
    String settled = settled();
    browser.focus("#history-range");
    browser.press(Keys.ARROW_DOWN);
    await().until(() -> points().equals(84L));
    assertThat(browser.address()).contains("history=7d");
    browser.set("#history-range", "30d");
    await().until(() -> points().equals(90L));
    browser.set("#history-route", "review");
    await().until(() -> !settled().equals(settled));
    assertThat(browser.address()).contains("history=30d", "historyRoute=review");
    String ofReview = settled();
    browser.open(browser.address()); // as somebody does who was sent it
    browser.seeText("#history .sums", ofReview);
    assertThat(points()).isEqualTo(90L);
    browser.click("#history summary");
    browser.see("#history tbody tr:nth-child(80)");
    browser.click("#history summary");
    browser.screenshot("history");
    browser.set("#history-route", "plain");
    browser.seeText("#history .empty", "Nothing was counted");

    browser.set("#history-route", "");
    browser.set("#theme", "dark");
    browser.set("#language", "zh");
    browser.pretendPhone();
    browser.seeText("#history h2", "历史");
    browser.see("#history canvas");
    browser.screenshot("history-phone-chinese-dark");
    assertThat(browser.run("return document.documentElement.scrollWidth")).isEqualTo(390L);
    assertThat(browser.complaints()).isEmpty();
  }

  private static Object points() {
    return browser.run(
        "return Chart.getChart(document.querySelector('#history canvas')).data.labels.length");
  }

  private static String settled() {
    return browser.see("#history .sums dd").getText();
  }

  @Test
  void a_schedule_is_seen_paused_resumed_and_run() throws Exception {
    ground.putSchedule(
        "nightly-report",
        """
        {"route": "reminder", "cron": "30 2 * * *", "zone": "Europe/Berlin", "bodyText": "report"}
        """);
    browser.go("schedules");
    browser.seeText("#schedules tbody", "nightly-report");
    browser.seeText("#schedules tbody", "Active");
    browser.click("#schedules [data-key='schedule nightly-report']");
    browser.seeText("#schedule .marks", "02:30");
    browser.seeText("#schedule .facts", "Europe/Berlin");
    browser.see("#schedule tbody tr:nth-child(10)");

    browser.click("#schedule [data-action=pause]");
    browser.type("#confirm [name=note]", "until the printer is repaired");
    browser.click("#confirm-yes");
    browser.seeText("#schedule .outcome", "Done: it is paused.");
    browser.seeText("#schedule .flag", "until the printer is repaired");
    browser.screenshot("schedule-paused");
    browser.click("#schedule [data-action=resume]");
    browser.click("#confirm-yes");
    browser.seeText("#schedule .outcome", "Done: it runs again.");

    browser.click("#schedule [data-action=run]");
    browser.click("#confirm-yes");
    browser.seeText("#schedule .outcome", "nightly-report@run-");
    browser.seeText("#schedule .mark", "Settled");
    browser.screenshot("schedule");

    String address = browser.address();
    assertThat(address).contains("schedule=nightly-report");
    browser.open(address);
    browser.seeText("#schedule h2", "nightly-report");
    browser.click("#schedule [data-key=close]");
    browser.set("#language", "zh");
    browser.pretendPhone();
    browser.click("#schedules [data-key='schedule nightly-report']");
    browser.seeText("#schedule .marks", "活动");
    browser.screenshot("schedule-phone-chinese");
    assertThat(browser.run("return document.documentElement.scrollWidth")).isEqualTo(390L);
    assertThat(browser.complaints()).isEmpty();
  }

  @Test
  void a_rule_is_tried_before_it_is_used() throws Exception {
    browser.go("schedules");
    browser.click("#schedules .try summary");
    browser.type("#preview [name=rule]", "0 30 2 ? 3 SUNL");
    browser.type("#preview [name=zone]", "Europe/Berlin");
    browser.press(Keys.ENTER);
    browser.see("#schedules .preview tbody tr:nth-child(10)");
    browser.seeText("#schedules .preview .reason", "moved by daylight saving from 02:30");
    browser.seeText("#schedules .preview tbody", "T03:00");
    browser.screenshot("preview");
    browser.type("#preview [name=rule]", "30 2 * * MONDAI");
    browser.press(Keys.ENTER);
    browser.see("#schedules .preview .outcome.bad");
    assertThat(browser.complaints()).hasSize(1).allMatch(line -> line.contains("status of 400"));
  }

  /** By keyboard alone. */
  @Test
  void all_of_a_filter_are_moved_and_cancelled() throws Exception {
    for (int i = 0; i < 5; i++) {
      ground.schedule("reminder", "many-" + i, LATER, "order-many", "1");
    }
    ground.post("/api/v1/messages/reminder/many-4/cancel");
    browser.go("messages");
    browser.seeText("#messages .more", "Choose a route or a business key");
    browser.set("#search [name=by]", "businessKey");
    browser.type("#search [name=text]", "order-many");
    browser.press(Keys.ENTER);
    browser.seeText("#messages .more", "Shown: 5");
    browser.focus("#messages [data-many]");
    browser.press(Keys.ENTER);
    browser.seeText("#many .facts", "order-many");
    browser.seeNo("#many [name=kind]:checked"); // least of all what cannot be undone
    browser.focus("#many [name=kind]");
    browser.press(Keys.ARROW_DOWN, Keys.ARROW_DOWN, Keys.TAB);
    browser.press("1h", Keys.ENTER);
    browser.seeText("#many-matching", "Messages like that now: 4. Each is rescheduled by 1h");
    browser.screenshot("many-count");
    browser.focus("#many-go");
    browser.press(Keys.ENTER);
    browser.seeText("#many-outcome", "Done: 4 changed.");
    browser.seeText("#many tbody", "Too late");
    browser.screenshot("many-outcome");
    browser.press(Keys.ESCAPE);

    browser.set("#language", "zh");
    browser.pretendPhone();
    browser.click("#messages [data-many]");
    browser.click("#many [value=cancel]");
    browser.click("#many-count");
    browser.seeText("#many-matching", "现有 4 条这样的消息");
    browser.screenshot("many-phone-chinese");
    assertThat(browser.run("return document.documentElement.scrollWidth")).isEqualTo(390L);
    browser.click("#many-go");
    browser.seeText("#many-outcome", "已更改 4 条");
    browser.click("#many [data-key=many-close]");
    browser.seeText("#messages .mark", "已取消");
    assertThat(browser.complaints()).isEmpty();
  }

  @Test
  void who_comes_too_late_is_told_so() throws Exception {
    ground.schedule("reminder", "order-1004", LATER);
    find("order-1004");
    browser.click("#messages button.link");
    browser.click("[data-action=reschedule]");
    ground.post("/api/v1/messages/reminder/order-1004/cancel");
    browser.click("#confirm-yes");
    browser.seeText("#outcome", "Too late");
    browser.seeText("#message .mark", "Cancelled");
    assertThat(browser.complaints()).hasSize(1).allMatch(line -> line.contains("status of 409"));
  }

  @Test
  void a_server_that_was_restarted() throws Exception {
    ground.schedule("reminder", "order-1005", LATER);
    find("order-1005");
    browser.seeText("#messages tbody", "order-1005");
    ground.stopServer();
    browser.seeText("#notices", "The server does not answer");
    browser.seeText("#live", "Not connected");
    browser.seeText("#messages tbody", "order-1005"); // as it was
    browser.screenshot("server-away");
    ground.startServer();
    browser.seeText("#live", "Live");
    browser.seeNo("#notices .notice");
    ground.post("/api/v1/messages/reminder/order-1005/cancel");
    browser.seeText("#messages .mark", "Cancelled");
    assertThat(browser.complaints()).allMatch(line -> line.contains("net::ERR_"));
  }

  @Test
  void a_server_that_answers_slowly_is_not_asked_twice() throws Exception {
    ground.schedule("reminder", "slow-1", LATER);
    find("slow-1");
    browser.click("#messages button.link");
    browser.seeText("#message .mark", "Waiting");
    assertThat(asked("js/message.js")).isEqualTo(1L);

    ground.putSchedule(
        "slow", "{\"route\": \"reminder\", \"cron\": \"30 2 * * *\", \"bodyText\": \"x\"}");
    browser.open(ground.url() + "#schedules?schedule=slow");
    browser.seeText("#schedule .marks", "02:30");
    assertThat(asked("js/schedule.js")).as("itself and its runs").isEqualTo(2L);
  }

  /** How many requests several refreshes make while none is answered. */
  private static Object asked(String module) {
    browser.run(
        """
        const answered = window.fetch;
        window.asked = 0;
        window.fetch = (where, how) => /messages\\/reminder|schedules\\/slow/.test(where)
          ? new Promise(() => window.asked++) : answered(where, how)
        """);
    browser.ask(module, "[1, 2, 3].map(() => it.refreshOpen()).length");
    await().until(() -> !browser.run("return window.asked").equals(0L));
    return browser.run("return window.asked");
  }

  @Test
  void a_body_is_shown_as_it_was_sent() throws Exception {
    String sent =
        "{\"order\":9007199254740993,\"price\":1.10,\"big\":1e999,\"10\":[],\"2\":\"a, {b}\"}";
    ground.scheduleBytes("reminder", "body-1", "application/json", sent.getBytes(UTF_8));
    find("body-1");
    browser.click("#messages button.link");
    browser.seeText(
        "#message pre",
        """
        {
          "order": 9007199254740993,
          "price": 1.10,
          "big": 1e999,
          "10": [],
          "2": "a, {b}"
        }\
        """);
    browser.seeText("#message tbody", "9007199254740993");
    browser.click("#message [data-key=as-sent]");
    browser.seeText("#message pre", sent);

    byte[] binary = {'{', (byte) 0xff, (byte) 0xfe, '}'};
    ground.scheduleBytes("reminder", "body-2", "application/json", binary);
    browser.click("#message [data-key=close]");
    find("body-2");
    browser.click("#messages button.link");
    browser.seeText("#message h3", "Body (binary, as base64)");
    browser.seeText("#message pre", Base64.getEncoder().encodeToString(binary));
  }

  @Test
  void an_answer_of_no_kind_we_know_has_its_status() {
    assertThat(browser.ask("js/api.js", "new it.Problem('other', 418).words()"))
        .isEqualTo("The server answered with status 418.");
    assertThat(browser.ask("js/api.js", "new it.Problem('other', 400, 'no such path').words()"))
        .isEqualTo("no such path");
  }

  @Test
  void one_reason_of_many_is_shown() throws Exception {
    for (int i = 0; i < 9; i++) {
      ground.schedule("plan", "plan-" + i, LATER);
      assertThat(ground.park("plan", LATER, i < 8 ? "reason " + i : "x&y?=#")).isEqualTo(1);
    }
    browser.open(ground.url() + "#messages?state=PARKED,FAILED");
    browser.seeText("#parked summary", "more reasons");
    browser.click("#parked summary");
    browser.click("#parked [data-key='show plan/PARKED/x&y?=#']");
    browser.seeText("#messages tbody .reason", "x&y?=#");
    browser.seeText("#messages tbody th", "plan-8");
    browser.seeText("#messages .more", "Shown: 1");
    browser.open(browser.address()); // as somebody does who was sent it
    browser.seeText("#messages .more", "Shown: 1");
    browser.seeText("#messages tbody th", "plan-8");
    browser.click("#search [type=reset]");
    browser.seeNo("#messages tbody .reason");
    assertThat(browser.complaints()).isEmpty();
  }

  @Test
  void rows_stay_where_they_are_pointed_at() throws Exception {
    ground.schedule("plan", "still-2", Duration.ofMinutes(9));
    browser.go("messages");
    browser.seeText("#search [name=route]", "plan");
    browser.set("#search [name=route]", "plan");
    browser.seeText("#messages tbody tr:first-child th", "still-2");
    browser.point("#messages tbody tr:first-child button");
    ground.schedule("plan", "still-1", Duration.ofMinutes(8));
    ground.post("/api/v1/messages/plan/still-2/cancel");
    browser.seeText("#messages .more", "stay in place");
    browser.see("#messages tr.gone");
    browser.seeText("#messages tbody tr:first-child th", "still-2");
    browser.pointNowhere();
    browser.seeText("#messages tbody tr:first-child th", "still-1");
    browser.seeNo("#messages tr.gone");
    ground.post("/api/v1/messages/plan/still-1/cancel");
  }

  @Test
  void a_message_has_an_address() throws Exception {
    ground.schedule("reminder", "linked 1/2", LATER);
    find("linked 1/2");
    browser.click("#messages button.link");
    browser.seeText("#message h2", "linked 1/2");
    String address = browser.address();
    browser.click("#message [data-key=close]");
    await().until(() -> !browser.address().equals(address));
    assertThat(browser.address()).contains("text=linked");
    browser.open(address);
    browser.seeText("#message h2", "linked 1/2");
    browser.see("[data-action=cancel]");
    browser.open(address.replace("linked", "unlinked"));
    browser.seeText("#message .outcome", "Unknown id");
    assertThat(browser.complaints()).hasSize(1).allMatch(line -> line.contains("status of 404"));

    browser.open(ground.url() + "#messages?dueUntil=1970-01-02T00:00:00Z&state=any");
    browser.seeText("#messages .empty", "No message is like that.");
    assertThat(browser.run("return document.querySelector('[name=dueUntil]').value"))
        .isEqualTo("1970-01-02T08:00");
  }

  @Test
  void one_that_was_due_long_ago_leaves_the_others_to_be_seen() throws Exception {
    ground.scheduleForThePast("order-timeout", "ancient");
    browser.see("#lateness canvas");
    String axis = "Chart.getChart(document.querySelector('#lateness canvas')).scales.y";
    await("the ancient one is in the chart")
        .atMost(Duration.ofMinutes(1))
        .until(() -> ((Number) browser.run("return " + axis + ".max")).doubleValue() > 1e12);
    assertThat(
            (Number)
                browser.run(
                    "return %1$s.getPixelForValue(10) - %1$s.getPixelForValue(100)"
                        .formatted(axis)))
        .as("pixels between 10 and 100 ms")
        .satisfies(pixels -> assertThat(pixels.doubleValue()).isGreaterThan(8));
  }

  @Test
  void what_found_no_target_is_among_the_tiles() throws Exception {
    ground.loseTarget();
    browser.click("[data-tile=unroutable].bad a");
    browser.seeText("#unroutable .flag", "unroutable --send");
  }

  @Test
  void callbacks_without_a_row_are_called_again_and_deleted() throws Exception {
    ground.callInVain();
    ground.callInVain();
    browser.click("[data-tile=parked].bad a");
    browser.seeText("#parked tbody", "given up after try 2: HTTP 503");
    browser.click("#parked [data-send=refund]");
    browser.click("#confirm-yes");
    browser.seeText("#parked .outcome.good", "Sent back to their route: 2.");
    await().until(() -> ground.calledInVain() == 2); // they are given up once more
    browser.click("#parked [data-delete=refund]");
    browser.click("#confirm-yes");
    browser.seeText("#parked .outcome.good", "Deleted: 2.");
    browser.seeNo("#parked [data-delete=refund]");
    assertThat(browser.complaints()).isEmpty();
  }

  @Test
  void a_route_has_its_colour_wherever_it_is_shown() {
    assertThat(
            browser.ask(
                "panel/due.js",
                """
                [['mail', 'stock', 'orders'], ['orders', 'mail'], ['orders']]
                  .map(names => it.coloursOf(names).get('orders')).join()
                """))
        .asString()
        .matches("(series-\\d),\\1,\\1");
    assertThat(browser.ask("panel/due.js", "new Set(it.coloursOf([...'abcdefg']).values()).size"))
        .isEqualTo(7L);
  }

  @Test
  void how_it_looks() throws Exception {
    for (int i = 0; i < 12; i++) {
      ground.schedule("invoice-mail", "mail-" + i, Duration.ofSeconds(1));
    }
    for (int i = 0; i < 3; i++) {
      ground.schedule("stock", "stock-" + i, Duration.ofSeconds(1));
    }
    browser.see("#due canvas");
    browser.see("#lateness canvas");
    browser.see("#rates canvas");
    browser.click("#lateness summary");
    browser.see("#lateness tbody tr:nth-child(100)"); // of the hour before, read in a while
    browser.click("#lateness summary");
    for (String view : VIEWS.keySet()) {
      browser.pretendLaptop();
      browser.open(ground.url() + "#" + view);
      browser.seeText("#live", "Live");
      browser.seeText(VIEWS.get(view), "");
      String name = view.replaceAll("[^a-z]+", "-");
      browser.screenshot(name);
      browser.set("#theme", "dark");
      browser.screenshot(name + "-dark");
      browser.set("#language", "zh");
      browser.pretendPhone();
      browser.screenshot(name + "-phone-chinese-dark");
      browser.set("#theme", "light");
      browser.set("#language", "en");
      browser.screenshot(name + "-phone");
      assertThat(browser.run("return document.documentElement.scrollWidth"))
          .as("nothing sticks out of a phone's screen in " + view)
          .isEqualTo(390L);
    }
    assertThat(browser.complaints()).isEmpty();
  }

  @Test
  void everything_has_a_name() {
    for (String view : VIEWS.keySet()) {
      browser.open(ground.url() + "#" + view);
      browser.see(VIEWS.get(view));
      nothingIsNameless();
    }
  }

  private static void nothingIsNameless() {
    assertThat(
            (List<?>)
                browser.run(
                    """
                    return [...document.querySelectorAll('button, a, select, input:not([type=hidden]), canvas, table, section, nav, dialog')]
                      .filter(each => !(each.ariaLabel || each.getAttribute('aria-labelledby')
                        || each.textContent.trim() || (each.labels && each.labels.length)))
                      .map(each => each.outerHTML)
                    """))
        .isEmpty();
  }

  private static void find(String id) {
    browser.go("messages");
    browser.type("#search [name=text]", id);
    browser.click("#search [type=submit]");
    browser.seeText("#messages tbody th", id);
  }
}
