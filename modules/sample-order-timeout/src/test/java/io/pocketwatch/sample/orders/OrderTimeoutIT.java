// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.sample.orders;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.pocketwatch.sample.orders.Customer.Payment;
import io.pocketwatch.sample.orders.Customer.Placed;
import io.pocketwatch.testkit.BrokerExtension;
import io.pocketwatch.testkit.store.TestDatabase;
import io.pocketwatch.testkit.store.TestDatabases;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/**
 * The shop, a real RabbitMQ and a real database, and the shop is killed. {@code
 * -Dsample.orders=...} for another number of orders than the {@value #ORDERS} of the build.
 */
@Tag("wide")
class OrderTimeoutIT {
  private static final int ORDERS = 1000;
  private static final Duration PATIENCE = Duration.ofSeconds(90);

  @RegisterExtension static final BrokerExtension BROKER = BrokerExtension.version("4.3");

  @TempDir private Path folder;

  @Test
  void exactly_the_unpaid_orders_are_cancelled_and_once_each_whenever_the_shop_is_killed()
      throws Exception {
    int orders = Integer.getInteger("sample.orders", ORDERS);
    ScheduledExecutorService customers = Executors.newScheduledThreadPool(12);
    try (TestDatabase database = TestDatabases.postgresql();
        ShopProcess shop =
            new ShopProcess(
                folder,
                BROKER.amqpUri(),
                "spring.datasource.url=" + database.url(),
                "shop.timeout=15s",
                // A dead process holds what it had begun for so long; a minute and more by default.
                "pocketwatch.loader.lease=5s",
                "pocketwatch.loader.sweep=1s",
                "pocketwatch.guard.handling-lease=5s")) {
      assertRouteOfTheEnvironment(shop);
      Customer customer = new Customer(shop);
      Queue<Placed> placed = new ConcurrentLinkedQueue<>();
      Queue<Payment> payments = new ConcurrentLinkedQueue<>();
      List<CompletableFuture<Void>> all =
          IntStream.range(0, orders)
              .mapToObj(
                  number ->
                      CompletableFuture.supplyAsync(
                              () -> {
                                Placed order = customer.place();
                                placed.add(order);
                                return payOrForget(customer, order, number, payments, customers);
                              },
                              customers)
                          .thenCompose(paid -> paid))
              .toList();

      await().atMost(PATIENCE).until(() -> placed.size() >= orders / 2);
      shop.kill();
      shop.start();
      await().atMost(PATIENCE).until(() -> cancelled(database) >= orders / 20);
      shop.kill();
      shop.start();

      CompletableFuture.allOf(all.toArray(CompletableFuture[]::new)).get(3, TimeUnit.MINUTES);
      Instant last =
          placed.stream().map(Placed::payBy).max(Comparator.naturalOrder()).orElseThrow();
      await()
          .atMost(PATIENCE)
          .until(() -> nothingIsLeft(shop, database) && Instant.now().isAfter(last.plusSeconds(2)));

      assertThat(payments).hasSize(orders / 2).filteredOn(Payment::accepted).isNotEmpty();
      assertThat(payments)
          .as("paid in time")
          .filteredOn(payment -> payment.answered().isBefore(payment.order().payBy()))
          .hasSizeGreaterThan(orders / 4)
          .allMatch(Payment::accepted);
      Set<String> paid = new HashSet<>();
      payments.stream().filter(Payment::accepted).forEach(each -> paid.add(each.order().id()));
      assertThat(ids(database, "SELECT id FROM shop_order WHERE status = 'PAID'"))
          .containsExactlyInAnyOrderElementsOf(paid);
      assertThat(ids(database, "SELECT order_id FROM shop_order_event WHERE event = 'paid'"))
          .containsExactlyInAnyOrderElementsOf(paid);
      assertThat(ids(database, "SELECT order_id FROM shop_order_event WHERE event = 'cancelled'"))
          .as("all others are cancelled, once each, also those nobody was told of")
          .containsExactlyInAnyOrderElementsOf(
              ids(database, "SELECT id FROM shop_order WHERE status <> 'PAID'"))
          .hasSizeGreaterThanOrEqualTo(orders - paid.size());
      assertThat(
              ids(
                  database,
                  "SELECT order_id FROM shop_order_event WHERE event NOT IN ('placed', 'paid')"))
          .as("no message was handled twice")
          .doesNotHaveDuplicates();
      System.out.printf(
          "### %s orders, %s paid, %s payments too late, %s timeouts found a paid order ###%n",
          placed.size(),
          paid.size(),
          payments.size() - paid.size(),
          ids(database, "SELECT order_id FROM shop_order_event WHERE event LIKE 'timeout%'")
              .size());
    } finally {
      customers.shutdownNow();
    }
  }

  @Test
  void it_runs_as_it_is_on_a_file_of_its_own() throws Exception {
    try (ShopProcess shop = new ShopProcess(folder, BROKER.amqpUri(), "shop.timeout=2s")) {
      Customer customer = new Customer(shop);
      Payment payment = customer.pay(customer.place());
      Placed forgotten = customer.place();
      assertThat(payment.accepted()).isTrue();
      await()
          .atMost(PATIENCE)
          .until(() -> shop.get("/orders/" + forgotten.id()).body().contains("CANCELLED"));
      assertThat(Instant.now()).isAfterOrEqualTo(forgotten.payBy());
      assertThat(customer.pay(forgotten).accepted()).isFalse();
      assertThat(shop.get("/orders/" + payment.order().id()).body()).contains("PAID");
      assertThat(shop.get("/orders").body()).isEqualTo("{\"OPEN\":0,\"PAID\":1,\"CANCELLED\":1}");
      assertThat(shop.get("/orders/unknown").statusCode()).isEqualTo(404);
      assertThat(Customer.json(shop.get("/actuator/health")).at("/status").textValue())
          .isEqualTo("UP");
    }
  }

  /** Every other order is paid: four of five at once, the fifth when its time is over. */
  private static CompletableFuture<Void> payOrForget(
      Customer customer,
      Placed order,
      int number,
      Queue<Payment> payments,
      ScheduledExecutorService customers) {
    if (number % 2 == 0) {
      return CompletableFuture.completedFuture(null);
    }
    if (number % 10 != 1) {
      payments.add(customer.pay(order));
      return CompletableFuture.completedFuture(null);
    }
    Instant when = order.payBy().plusMillis(number % 200 - 20);
    return CompletableFuture.runAsync(
        () -> payments.add(customer.pay(order)),
        task ->
            customers.schedule(
                task, Duration.between(Instant.now(), when).toMillis(), TimeUnit.MILLISECONDS));
  }

  private static long cancelled(TestDatabase database) throws SQLException {
    return ids(database, "SELECT id FROM shop_order WHERE status = 'CANCELLED'").size();
  }

  /** A route whose keys are variables of the process; see {@link ShopProcess#start}. */
  private static void assertRouteOfTheEnvironment(ShopProcess shop) throws Exception {
    assertThat(shop.get("/actuator/metrics/pocketwatch.pending").body()).contains("orderreminder");
  }

  /** No order is open, and neither the database nor the broker holds a message that is to come. */
  private static boolean nothingIsLeft(ShopProcess shop, TestDatabase database) throws Exception {
    String toCome = "SELECT id FROM pocketwatch_message WHERE state IN ('PENDING', 'HELD')";
    return shop.get("/orders").body().contains("\"OPEN\":0") && ids(database, toCome).isEmpty();
  }

  private static List<String> ids(TestDatabase database, String query) throws SQLException {
    try (Connection connection = DriverManager.getConnection(database.url());
        Statement statement = connection.createStatement();
        ResultSet rows = statement.executeQuery(query)) {
      List<String> ids = new ArrayList<>();
      while (rows.next()) {
        ids.add(rows.getString(1));
      }
      return ids;
    }
  }
}
