// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.server.console;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.pocketwatch.testkit.BrokerExtension;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** The README's picture, under steady traffic: {@code target/screenshots/console.png}. */
@Tag("wide")
class ConsolePictureIT {
  @RegisterExtension static final BrokerExtension broker = BrokerExtension.anyVersion();
  @TempDir static Path folder;

  private static final String[] ROUTES = {"order-timeout", "reminder", "review", "basket"};
  private static final int HEIGHT = 1_490;

  @Test
  void the_page_while_messages_come_and_go() throws Exception {
    ScheduledExecutorService traffic = Executors.newSingleThreadScheduledExecutor();
    try (Browser browser = Browser.start();
        ConsoleGround ground =
            new ConsoleGround(folder, broker, "{max-delay: 4h}", Duration.ofSeconds(5))) {
      for (String route : ROUTES) {
        ground.consume(route);
      }
      AtomicInteger sent = new AtomicInteger();
      traffic.scheduleAtFixedRate(
          () ->
              ground.publish(
                  ROUTES[sent.get() % ROUTES.length],
                  "order-" + sent.incrementAndGet(),
                  Duration.ofMinutes(ThreadLocalRandom.current().nextInt(20, 170))),
          0,
          600,
          TimeUnit.MILLISECONDS);
      await("the first load, of hours at once")
          .atMost(Duration.ofMinutes(2))
          .until(ground::isLoaded);
      ground.stopServer(); // the next one's rates begin without it
      ground.startServer();
      browser.pretendLaptop();
      browser.open(ground.url());
      browser.seeText("#live", "Live");
      browser.see("#history canvas");
      await("some traffic")
          .pollInterval(Duration.ofSeconds(5))
          .atMost(Duration.ofMinutes(6))
          .until(() -> sent.get() > 150);
      browser.see("[data-tile=late]");
      browser.set("#theme", "dark");
      browser.screenshot("console-dark", HEIGHT);
      browser.set("#theme", "auto"); // also paints charts that Chromium has put away meanwhile
      browser.screenshot("console", HEIGHT);
      assertThat(browser.complaints()).isEmpty();
    } finally {
      traffic.shutdownNow();
    }
  }
}
