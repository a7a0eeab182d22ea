// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.guard;

import static org.assertj.core.api.Assertions.assertThat;

import com.rabbitmq.client.AMQP.BasicProperties;
import com.rabbitmq.client.DefaultConsumer;
import com.rabbitmq.client.Delivery;
import com.rabbitmq.client.Envelope;
import com.rabbitmq.client.ShutdownSignalException;
import io.pocketwatch.DelayStrategy;
import io.pocketwatch.PocketwatchEvent;
import io.pocketwatch.PocketwatchListener;
import io.pocketwatch.PublishOutcome;
import io.pocketwatch.PublishReceipt;
import io.pocketwatch.PublishReceipt.Cause;
import io.pocketwatch.config.DelayRoute;
import io.pocketwatch.config.DelayRoutes;
import io.pocketwatch.guard.FakeQueue.Copy;
import io.pocketwatch.guard.ScriptedStore.Row;
import io.pocketwatch.handoff.Holding;
import io.pocketwatch.store.SettlingStore.Ending.Kind;
import io.pocketwatch.store.SettlingStore.Handling;
import io.pocketwatch.store.StoredMessage.MessageState;
import io.pocketwatch.testing.HandScheduler;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * A queue and its guarded consumers, without a broker, a database or a clock. The test says what
 * happens when. What must hold at every moment is checked at every moment.
 */
final class GuardedQueueScene implements PocketwatchListener, FakeConsumingChannel.Watcher {
  static final String QUEUE = "work";
  static final Duration LEASE = Duration.ofMinutes(1);
  static final Duration PATIENCE = Duration.ofMinutes(10);

  /** Consumers that say when they begin. */
  static final ChannelUse REPORTING = ChannelUse.plain().withReportedStart();

  static final Duration RETRY = Duration.ofSeconds(5);

  final HandScheduler time;
  final ScriptedStore store;
  final FakeQueue queue = new FakeQueue();
  final List<Process> processes = new ArrayList<>();
  final List<Given> given = new ArrayList<>();
  final List<Held> held = new ArrayList<>();
  final List<String> events = new ArrayList<>();
  private final GuardOptions options;
  private final Set<String> tokensHandled = new HashSet<>();

  /** What was answered for by consumers that the scene does not know. */
  final Set<String> answered = new HashSet<>();

  /** What should have held and did not. */
  final List<Throwable> broken = new ArrayList<>();

  /** A message that a consumer was given. */
  final class Given {
    final Process process;
    final GuardedChannel channel;
    final FakeConsumingChannel at;
    final long tag;
    final GuardedDelivery delivery;
    @Nullable String said;

    Given(Process process, long tag, GuardedDelivery delivery) {
      this.process = process;
      this.channel = process.guarded;
      this.at = process.channel;
      this.tag = tag;
      this.delivery = delivery;
    }

    String id() {
      return Objects.requireNonNull(delivery.asReceived().getProperties().getMessageId());
    }

    /** Whether the guard still wants an answer. */
    boolean isOpen() {
      return channel.delivery(tag).isPresent();
    }

    void ack() {
      say("ack", () -> channel.basicAck(tag, false));
    }

    void ackUpTo() {
      given.stream()
          .filter(each -> each.channel == channel && each.tag <= tag && each.said == null)
          .forEach(each -> each.said = "ack");
      run(() -> channel.basicAck(tag, true));
    }

    void reject() {
      say("reject", () -> channel.basicReject(tag, false));
    }

    void requeue() {
      say("requeue", () -> channel.basicReject(tag, true));
    }

    void fail() {
      delivery.failed(new IllegalStateException("broken"));
      reject();
    }

    void defer(Duration pause) {
      say("defer", () -> delivery.defer(pause));
    }

    void park() {
      if (delivery.handling().isPresent()) {
        say("park", () -> delivery.park("no stock", recorded -> {}));
      }
    }

    boolean start() {
      return delivery.started();
    }

    void returned() {
      delivery.returned(false);
    }

    private void say(String word, Call call) {
      if (said == null) {
        said = word;
      }
      run(call);
    }
  }

  interface Call {
    void run() throws IOException;
  }

  static void run(Call call) {
    try {
      call.run();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** A copy that the broker is to hold again. */
  record Held(Delivery copy, Instant until, CompletableFuture<PublishReceipt> answer) {}

  /** A process that consumes the queue, on a channel at a time. */
  final class Process {
    final DeliveryGuard guard;
    final List<FakeConsumingChannel> channels = new ArrayList<>();
    FakeConsumingChannel channel;
    GuardedChannel guarded;
    boolean closed;
    private String tag = "";

    Process() {
      guard = new DeliveryGuard(store, new Hold(), options, GuardedQueueScene.this, time);
      open(REPORTING);
    }

    void open(ChannelUse use) {
      channel = new FakeConsumingChannel(queue, GuardedQueueScene.this);
      channels.add(channel);
      guarded = guard.guard(channel.proxy, use);
    }

    /** On a connection that recovers by itself. */
    void openRecoverable() {
      open(REPORTING);
      guarded = guard.guard(channel.recoverable, REPORTING);
    }

    void consume() {
      tag = consume(QUEUE);
    }

    /** Returns the consumer's tag. */
    String consume(String name) {
      AtomicReference<String> given = new AtomicReference<>();
      run(
          () -> {
            guarded.basicQos(250);
            given.set(guarded.basicConsume(name, false, "", new Listening(this, guarded)));
          });
      return given.get();
    }

    void cancel() {
      if (channel.isOpen() && !tag.isEmpty()) {
        run(() -> guarded.basicCancel(tag));
        tag = "";
      }
    }

    boolean isConsuming() {
      return !tag.isEmpty();
    }

    void cancelledByBroker() throws IOException {
      channel.cancelsConsumer();
      tag = "";
    }

    void close() {
      if (!closed) {
        closed = true;
        guard.close();
        time.runAll();
        checkAnswered();
        channel.close();
      }
    }

    /** But for what its consumers have. */
    void checkAnswered() {
      Set<String> theirs = new HashSet<>();
      given.stream()
          .filter(each -> each.at == channel && each.isOpen())
          .forEach(each -> theirs.add(each.id()));
      for (Copy each : channel.unacked.values()) {
        if (!theirs.contains(each.id())) {
          broken.add(new AssertionError(each.id() + " is not answered for after the close"));
        }
      }
    }

    boolean delivers() {
      return !closed && channel.delivers();
    }
  }

  /** Keeps what it is given, until the test answers. */
  private final class Listening extends DefaultConsumer {
    private final Process process;
    private final GuardedChannel on;
    private final FakeConsumingChannel at;

    Listening(Process process, GuardedChannel on) {
      super(on);
      this.process = process;
      this.on = on;
      this.at = process.channel;
    }

    @Override
    public void handleDelivery(
        String consumer, Envelope envelope, BasicProperties properties, byte[] body) {
      long tag = envelope.getDeliveryTag();
      if (tag <= at.lastTagShown) {
        broken.add(new AssertionError("tag " + tag + " after " + at.lastTagShown));
      }
      at.lastTagShown = tag;
      on.delivery(tag).ifPresent(each -> take(new Given(process, tag, each)));
    }

    @Override
    public void handleShutdownSignal(String consumer, ShutdownSignalException cause) {
      events.add("consumer lost");
    }
  }

  /**
   * @param order null where tasks run in the order in which they came
   */
  GuardedQueueScene(@Nullable Random order) {
    time = order == null ? new HandScheduler() : new HandScheduler(order);
    store = new ScriptedStore(time.clock());
    options =
        GuardOptions.builder()
            .handlingLease(LEASE)
            .storePatience(PATIENCE)
            .clock(time.clock())
            .build();
  }

  Process process() {
    Process process = new Process();
    processes.add(process);
    return process;
  }

  private void take(Given one) {
    one.delivery.handling().ifPresent(handling -> check(one, handling));
    given.add(one);
  }

  private void check(Given one, Handling handling) {
    if (!tokensHandled.add(handling.token())) {
      broken.add(new AssertionError(one.id() + " is handled twice under one lease"));
    }
  }

  /** What the broker is told to forget must not be needed any more. */
  @Override
  public void acknowledged(@Nullable Copy copy) {
    try {
      check(copy);
    } catch (AssertionError e) {
      broken.add(e);
    }
  }

  private void check(@Nullable Copy copy) {
    assertThat(copy).as("what is acknowledged and the broker does not wait for").isNotNull();
    Row row = copy.isTracked() ? store.row(copy.id()) : null;
    if (row == null) {
      boolean said =
          answered.contains(copy.id())
              || given.stream().anyMatch(each -> each.id().equals(copy.id()) && each.said != null);
      boolean heldAgain = held.stream().anyMatch(each -> isConfirmed(each, copy));
      assertThat(said || heldAgain).as("%s is acknowledged and lost", copy.id()).isTrue();
      return;
    }
    boolean brought =
        row.isOver()
            || row.generation != copy.generation()
            || row.nextAt != null
            || row.token != null // another has begun it, and its lease brings it back
            || row.state == MessageState.FAILED;
    assertThat(brought || isDroppedBusy(row))
        .as("%s is acknowledged before it is settled: %s", copy.id(), row.state)
        .isTrue();
  }

  /** Another gave it back just now: it is in the queue once more, or will be. */
  private boolean isDroppedBusy(Row row) {
    return row.lastEnding == Kind.REQUEUE;
  }

  private static boolean isConfirmed(Held one, Copy copy) {
    return one.answer.isDone()
        && Objects.equals(one.copy.getProperties().getMessageId(), copy.id());
  }

  // What the test has happen

  void send(String... ids) {
    for (String id : ids) {
      store.add(id);
      queue.waiting.add(Copy.tracked(id, 1));
    }
  }

  void sendUntracked(String id) {
    queue.waiting.add(Copy.untracked(id));
  }

  void busyWithEnds(boolean busy) {
    if (busy) {
      time.busy("pocketwatch-guard-end");
    } else {
      time.idle("pocketwatch-guard-end");
    }
  }

  /** With a channel goes what was said and is not recorded. */
  @Override
  public void ends(FakeConsumingChannel channel) {
    given.stream()
        .filter(each -> each.at == channel && each.isOpen())
        .forEach(each -> each.said = null);
  }

  Row row(String id) {
    return store.row(id);
  }

  /** All of the queue goes to the first process that consumes it. */
  void deliverAll() {
    while (processes.stream().anyMatch(Process::delivers)) {}
    time.advance(Duration.ofMillis(5));
  }

  Given given(String id) {
    return given.stream()
        .filter(each -> each.id().equals(id) && each.isOpen())
        .findFirst()
        .orElseThrow(() -> new AssertionError(id + " is with no consumer: " + events));
  }

  List<String> givenIds() {
    return given.stream().map(Given::id).toList();
  }

  void confirmsHeld() {
    for (Held one : List.copyOf(held)) {
      confirm(one);
    }
  }

  void confirm(Held one) {
    if (!one.answer.isDone()) {
      BasicProperties properties = one.copy.getProperties();
      Duration wait = Duration.between(time.clock().instant(), one.until);
      time.later(
          wait.isNegative() ? Duration.ZERO : wait,
          () -> queue.waiting.add(new Copy(properties, false)));
      one.answer.complete(receipt(PublishOutcome.CONFIRMED, one.until));
    }
  }

  void refuse(Held one) {
    one.answer.complete(receipt(PublishOutcome.REJECTED, one.until));
  }

  private static PublishReceipt receipt(PublishOutcome outcome, Instant until) {
    return new PublishReceipt(
        "m",
        "held-again",
        outcome,
        Cause.NONE,
        "",
        DelayStrategy.QUEUE_WHEEL,
        "",
        until,
        Duration.ZERO,
        false);
  }

  /** Sends what is due, and what was begun by somebody whose lease is over. */
  void loads() {
    Instant now = time.clock().instant();
    for (Row row : store.rows.values()) {
      boolean due = row.nextAt != null && !now.isBefore(row.nextAt);
      boolean leaseOver =
          row.token != null && row.state == MessageState.HELD && !now.isBefore(row.leaseUntil);
      if (leaseOver) {
        row.token = null;
        row.lastEnding = Kind.REQUEUE;
      }
      if (due || leaseOver) {
        row.become(MessageState.HELD, null);
        queue.waiting.add(Copy.tracked(row.key.id(), row.generation));
      }
    }
  }

  @Override
  public void onEvent(PocketwatchEvent event) {
    if (event instanceof ConsumerEvent.Skipped one) {
      events.add("skipped " + one.key().id() + " " + one.verdict());
    } else if (event instanceof ConsumerEvent one && !(one instanceof ConsumerEvent.Delivered)) {
      events.add(one.getClass().getSimpleName());
    }
  }

  List<String> told() {
    return processes.get(0).channel.said;
  }

  private final class Hold implements Holding {
    private final DelayRoutes routes =
        DelayRoutes.builder()
            .route(DelayRoute.builder("route").routingKey(QUEUE).retries(RETRY).build())
            .build();

    @Override
    public CompletableFuture<PublishReceipt> holdAgain(
        String name, Delivery received, Instant until) {
      Held one = new Held(received, until, new CompletableFuture<>());
      held.add(one);
      return one.answer;
    }

    @Override
    public Instant now() {
      return time.clock().instant();
    }

    @Override
    public DelayRoutes routes() {
      return routes;
    }
  }
}
