// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.it;

import com.rabbitmq.client.Connection;
import com.rabbitmq.client.ConnectionFactory;
import io.pocketwatch.DelayedMessage;
import io.pocketwatch.DelayedPublisher;
import io.pocketwatch.config.DelayRoute;
import io.pocketwatch.config.DelayRoute.Tracking;
import io.pocketwatch.config.DelayRoutes;
import io.pocketwatch.config.HoldOptions;
import io.pocketwatch.guard.DeliveryGuard;
import io.pocketwatch.guard.GuardOptions;
import io.pocketwatch.loader.Loader;
import io.pocketwatch.tracking.TrackedPublisher;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/**
 * A publisher with a store, its loader and a guarded consumer in a JVM of their own. They take a
 * message from its publish to its end, and then have nothing to do. Prints what they cost then.
 */
final class IdleProcess {
  private static final Duration UNTIL_IDLE = Duration.ofSeconds(15);
  private static final Duration MEASURED = Duration.ofSeconds(20);

  private IdleProcess() {}

  /** A thread of ours, as Linux sees it. */
  private record OurThread(String id, String name, long wakeUps) {}

  public static void main(String... arguments) throws Exception {
    ConnectionFactory broker = new ConnectionFactory();
    broker.setUri(arguments[0]);
    DelayRoute route =
        DelayRoute.builder("tracked").exchange(arguments[2]).tracking(Tracking.FULL).build();
    DelayRoutes routes =
        DelayRoutes.builder()
            .route(route)
            .hold(HoldOptions.builder().namePrefix(arguments[1]).build())
            .build();
    CountDownLatch handled = new CountDownLatch(1);
    try (StoreWorld stored = new StoreWorld();
        TrackedPublisher publisher =
            DelayedPublisher.builder(broker)
                .routes(routes)
                .build(TrackedPublisher.with(stored.store()));
        Loader loader = new Loader(publisher);
        DeliveryGuard guard = DeliveryGuard.of(publisher, GuardOptions.builder().build());
        Connection connection = broker.newConnection("consumer")) {
      loader.start();
      guard.consume(connection.createChannel(), arguments[2], delivery -> handled.countDown());
      Futures.get(
          publisher.publish(
              DelayedMessage.to(arguments[2], "key").delay(Duration.ofMillis(100)).body("{}")));
      if (!handled.await(30, TimeUnit.SECONDS)) {
        throw new IllegalStateException("the message has not come");
      }
      TimeUnit.NANOSECONDS.sleep(UNTIL_IDLE.toNanos());
      List<OurThread> before = threads();
      TimeUnit.NANOSECONDS.sleep(MEASURED.toNanos());
      List<OurThread> after = threads();
      long wakeUps = after.stream().mapToLong(each -> each.wakeUps() - sum(each, before)).sum();
      System.out.println("before: " + before);
      System.out.println("after: " + after);
      System.out.println("count: " + after.size());
      System.out.println("wake-ups a second: " + (double) wakeUps / MEASURED.toSeconds());
    }
  }

  /** Of the same thread before; 0 if it is new. */
  private static long sum(OurThread thread, List<OurThread> before) {
    return before.stream()
        .filter(each -> each.id().equals(thread.id()))
        .mapToLong(OurThread::wakeUps)
        .sum();
  }

  private static List<OurThread> threads() throws IOException {
    try (Stream<Path> tasks = Files.list(Path.of("/proc/self/task"))) {
      return tasks
          .flatMap(IdleProcess::thread)
          .filter(each -> each.name().startsWith("pocketwatch"))
          .toList();
    }
  }

  private static Stream<OurThread> thread(Path task) {
    try {
      long wakeUps =
          Files.readAllLines(task.resolve("status")).stream()
              .filter(line -> line.startsWith("voluntary_ctxt_switches"))
              .mapToLong(line -> Long.parseLong(line.replaceAll("\\D", "")))
              .sum();
      String name = Files.readString(task.resolve("comm")).strip();
      return Stream.of(new OurThread(task.getFileName().toString(), name, wakeUps));
    } catch (IOException e) {
      return Stream.empty(); // it has ended
    }
  }
}
