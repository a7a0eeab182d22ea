// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.server.console;

import static org.assertj.core.api.Assertions.assertThat;

import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import io.pocketwatch.server.config.StoreSettings;
import io.pocketwatch.server.serve.RunningServer;
import io.pocketwatch.server.store.OpenStore;
import io.pocketwatch.testkit.BrokerExtension;
import io.pocketwatch.testkit.store.TestDatabase;
import io.pocketwatch.testkit.store.TestDatabases;
import java.nio.file.Path;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/**
 * The page on a large store, every panel filled. Says how long that took; {@code
 * -Dconsole.rows=1000000} for a million pending rows, {@code -Dconsole.routes=1000} for as many
 * routes.
 */
@Tag("wide")
class ConsolePaintIT {
  @RegisterExtension static final BrokerExtension broker = BrokerExtension.anyVersion();
  @TempDir static Path folder;

  private static final int ROWS = Integer.getInteger("console.rows", 20_000);
  private static final int ROUTES = Integer.getInteger("console.routes", 4);
  private static final int LOOKS = 5;

  /** Evenly over thirty days, so that some come due while the page is open. */
  private static final String PENDING =
      """
      INSERT INTO pocketwatch_message (route, id, exchange, routing_key, properties, body, deliver_at,
        first_deliver_at, next_at, tracking, state, created_at, updated_at)
      SELECT 'route-' || n %% %2$s, 'm' || n, '', 'route-' || n %% %2$s, '\\x0000', '\\x7b7d', due, due, due, 'FULL',
        'PENDING', due - 4000000000, due - 4000000000
      FROM (SELECT n, (extract(epoch FROM now()) * 1000)::bigint + n * (2592000000 / %1$s) AS due
            FROM generate_series(1, %1$s) AS n) AS rows
      """;

  private static final String WHEN_FILLED =
      """
      const look = () => {
        const count = document.querySelector('[data-tile=pending] .value');
        if (count && /[0-9]/.test(count.textContent) && !document.querySelector('[aria-busy]')) {
          window.filledAt = performance.now();
        } else {
          requestAnimationFrame(look);
        }
      };
      requestAnimationFrame(look);
      """;

  @Test
  void every_panel_is_filled() throws Exception {
    try (Browser browser = Browser.start();
        TestDatabase database = TestDatabases.postgresql()) {
      fill(database);
      try (RunningServer server =
          RunningServer.start(folder, sections(), database.url(), broker.amqpUri(), Map.of())) {
        browser.pretendLaptop();
        browser.onEachPage(WHEN_FILLED);
        browser.open(server.url());
        browser.seeText("#live", "Live");
        for (int i = 0; i < LOOKS; i++) {
          browser.open(server.url());
          browser.seeText("[data-tile=pending] .value", ",");
          browser.see("#due canvas");
          browser.seeNo("[aria-busy]");
          report(browser);
          assertThat(browser.run("return window.filledAt < 20000"))
              .as("no page that was left keeps a connection that this one waits for")
              .isEqualTo(true);
        }
        assertThat(browser.complaints()).isEmpty();
      }
    }
  }

  private static void fill(TestDatabase database) throws SQLException {
    try (OpenStore own = OpenStore.create(StoreSettings.at(database.url(), Map.of()));
        var connection = own.pool().getConnection();
        Statement statement = connection.createStatement()) {
      statement.execute(PENDING.formatted(ROWS, ROUTES));
      statement.execute("VACUUM ANALYZE pocketwatch_message");
    }
  }

  private static String sections() throws Exception {
    StringBuilder routes = new StringBuilder("routes:\n");
    try (Connection connection = broker.connectionFactory().newConnection();
        Channel channel = connection.createChannel()) {
      for (int i = 0; i < ROUTES; i++) {
        channel.queueDeclare("route-" + i, true, false, false, Map.of());
        routes.append("  route-%1$s: {routing-key: route-%1$s, tracking: full}\n".formatted(i));
      }
    }
    return routes
        + """
        wheel: {max-delay: 4h, resolution: 1s, hands: [1h, 1m, 1s]}
        loader: {every: 2h, lead: 1h}
        server: {limits: {requests: 5000}}
        """;
  }

  /** How long exactly is not asserted: a busy machine is slow. */
  private static void report(Browser browser) {
    System.out.println(
        "ConsolePaintIT, "
            + ROWS
            + " rows on "
            + ROUTES
            + " routes: "
            + browser.run(
                """
                const ms = value => Math.round(value) + ' ms';
                const paints = Object.fromEntries(
                  performance.getEntriesByType('paint').map(each => [each.name, each.startTime]));
                const reads = performance.getEntriesByType('resource')
                  .filter(each => each.name.includes('/api/v1/') && !each.name.endsWith('/events'))
                  .map(each => each.name.replace(/.*v1\\//, '') + ' ' + ms(each.duration));
                return 'first contentful paint ' + ms(paints['first-contentful-paint'])
                  + ', every panel filled ' + ms(window.filledAt) + '; ' + reads.join(', ');
                """));
  }
}
