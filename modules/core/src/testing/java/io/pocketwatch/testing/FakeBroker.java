// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.testing;

import com.rabbitmq.client.AMQP;
import com.rabbitmq.client.Address;
import com.rabbitmq.client.Connection;
import com.rabbitmq.client.ConnectionFactory;
import com.rabbitmq.client.DeliverCallback;
import com.rabbitmq.client.Delivery;
import com.rabbitmq.client.Envelope;
import com.rabbitmq.client.ShutdownSignalException;
import io.pocketwatch.internal.base.Scheduler;
import java.io.IOException;
import java.net.ConnectException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A broker that does what a test tells it to. It knows exchanges, queues and bindings by name,
 * counts what is published, and answers for a message only when told. The start-up probe and the
 * question for a node's sink it answers at once, unless told otherwise. Of policies it says
 * nothing.
 */
public final class FakeBroker {
  /** What becomes of a start-up probe. */
  public enum Probe {
    COMES_BACK,
    GETS_LOST,
    IS_NOT_ANSWERED
  }

  private record Refusal(int code, String text) {}

  private record Binding(String source, String target, String key) {}

  private final List<FakeConnection> connections = new ArrayList<>();
  private final Set<String> exchanges = new LinkedHashSet<>();
  private final Set<String> queues = new LinkedHashSet<>();
  private final Set<Binding> bindings = new LinkedHashSet<>();
  private final Map<String, Refusal> refusals = new HashMap<>();
  private final Map<String, DeliverCallback> consumers = new LinkedHashMap<>();
  private final List<String> asked = new ArrayList<>();
  private final List<Sent> sent = new ArrayList<>();
  private final Deque<Hook> before = new ArrayDeque<>();
  private final Deque<Hook> during = new ArrayDeque<>();
  private final Deque<Hook> answering = new ArrayDeque<>();
  private final Deque<Hook> connecting = new ArrayDeque<>();
  private final Scheduler time;
  private final String version;
  private Probe probe = Probe.COMES_BACK;
  private Duration held = Duration.ZERO;
  private @Nullable String away;
  private boolean silent;
  private boolean answersForSinks = true;

  /** One of RabbitMQ 3.13, which has no sinks of single nodes. */
  public FakeBroker(Scheduler time) {
    this(time, "3.13.7");
  }

  public FakeBroker(Scheduler time, String version) {
    this.time = time;
    this.version = version;
  }

  /** What a publisher is given; each of its connections is to this broker. */
  public ConnectionFactory factory() {
    return new Factory();
  }

  // What is there

  public void hasQueue(String name) {
    queues.add(name);
  }

  public void hasExchange(String name) {
    exchanges.add(name);
  }

  public void loses(String name) {
    queues.remove(name);
    exchanges.remove(name);
    bindings.removeIf(each -> each.source.equals(name) || each.target.equals(name));
  }

  public Set<String> queues() {
    return Set.copyOf(queues);
  }

  public Set<String> exchanges() {
    return Set.copyOf(exchanges);
  }

  /** Whether something leads from the one to the other. */
  public boolean isBound(String source, String target) {
    return bindings.stream()
        .anyMatch(each -> each.source.equals(source) && each.target.equals(target));
  }

  /** Everything that it was asked for, as {@code queue.declare orders}. */
  public List<String> asked() {
    return asked;
  }

  // What it does to connections

  /** Closes all and takes no more. */
  public void goesAway() {
    away = "Connection refused";
    losesConnections();
  }

  public void comesBack() {
    away = null;
  }

  public void losesConnections() {
    open("").forEach(each -> each.lose("Connection reset"));
  }

  /** That of publishing alone. */
  public void losesPublishConnection() {
    open("publish").forEach(each -> each.lose("Connection reset"));
  }

  /** Does this when the next connection is open, and the call has not returned yet. */
  public void whileConnecting(Hook hook) {
    connecting.add(hook);
  }

  /** Lost, but the client has not told anybody yet; returns what tells them. */
  public Runnable losesConnectionsUnnoticed() {
    List<FakeConnection> lost = open("");
    lost.forEach(each -> each.breakSilently("Connection reset"));
    return () -> lost.forEach(FakeConnection::tell);
  }

  public void blocks(String why) {
    for (FakeConnection each : open("publish")) {
      each.block(why);
    }
  }

  public void unblocks() {
    for (FakeConnection each : open("publish")) {
      each.unblock();
    }
  }

  /** Purposes of the connections that are open. */
  public List<String> connections() {
    return open("").stream().map(each -> each.name).toList();
  }

  /** How many there were for that purpose, open or not. */
  public long connectionsMade(String purpose) {
    return connections.stream().filter(each -> each.name.endsWith(" " + purpose)).count();
  }

  // What it answers when asked

  /** Refuses whatever is done with that exchange or queue. */
  public void refuses(String name, int code, String text) {
    refusals.put(name, new Refusal(code, text));
  }

  public void allows(String name) {
    refusals.remove(name);
  }

  /** Whether it answers no question any more, so that each ends by its timeout. */
  public void silent(boolean silent) {
    this.silent = silent;
  }

  /** Does this before the next question is answered. */
  public void beforeNextAnswer(Hook hook) {
    answering.add(hook);
  }

  public void probe(Probe probe) {
    this.probe = probe;
  }

  /** How long a start-up probe stays away that comes back. */
  public void holdsProbesFor(Duration held) {
    this.held = held;
  }

  public void answersForSinks(boolean answers) {
    this.answersForSinks = answers;
  }

  // What it answers for messages

  /** Does this when the next message is about to be written. */
  public void beforeNextSend(Hook hook) {
    before.add(hook);
  }

  /** Does this when the next message was written, and the call has not returned yet. */
  public void duringNextSend(Hook hook) {
    during.add(hook);
  }

  /** What came, oldest first. */
  public List<Sent> sent() {
    return sent;
  }

  public List<String> sentIds() {
    return sent.stream().map(Sent::id).toList();
  }

  /** The last of that id. */
  public Sent sent(String id) {
    return sent.stream()
        .filter(each -> each.id().equals(id))
        .reduce((one, next) -> next)
        .orElseThrow(() -> new AssertionError(id + " was not sent, but " + sentIds()));
  }

  public void acks(String id) {
    acks(sent(id));
  }

  public void acks(Sent message) {
    message.channel().answer(message, true, false);
  }

  /** That and all before it on its channel. */
  public void acksUpTo(String id) {
    sent(id).channel().answer(sent(id), true, true);
  }

  public void acksUpTo(Sent message) {
    message.channel().answer(message, true, true);
  }

  public void nacks(String id) {
    nacks(sent(id));
  }

  public void nacks(Sent message) {
    message.channel().answer(message, false, false);
  }

  public void nacksUpTo(Sent message) {
    message.channel().answer(message, false, true);
  }

  /** As 312 NO_ROUTE; its ack is still to come. */
  public void returns(String id) throws IOException {
    returns(sent(id));
  }

  public void returns(Sent message) throws IOException {
    message.channel().giveBack(message);
  }

  public void closesChannelOf(String id, int code, String text) {
    sent(id).channel().closeByBroker(code, text);
  }

  /**
   * Closed, and the client (5.37) never tells anybody, since its answer to that could not be
   * written. So its connection is about to go, too.
   */
  public void closesChannelUntold(String id) {
    sent(id).channel().closeUntold();
  }

  // For connections and channels

  private List<FakeConnection> open(String purpose) {
    return connections.stream()
        .filter(each -> each.isOpen() && (purpose.isEmpty() || each.name.endsWith(" " + purpose)))
        .toList();
  }

  long now() {
    return time.nanoTime();
  }

  String version() {
    return version;
  }

  /** A question about an exchange or queue; an error if it has no answer, or a bad one. */
  void ask(FakeChannel channel, String question, String name) throws IOException {
    channel.requireOpen();
    asked.add(question + " " + name);
    run(answering);
    channel.requireStillOpen();
    if (silent) {
      throw channel.silence();
    }
    Refusal refusal = refusals.get(name);
    if (refusal != null) {
      throw channel.refuse(refusal.code, refusal.text);
    }
  }

  void requireThere(FakeChannel channel, boolean queue, String name) throws IOException {
    if (!(queue ? queues : exchanges).contains(name)) {
      throw channel.refuse(
          AMQP.NOT_FOUND,
          "NOT_FOUND - no %s '%s' in vhost '/'".formatted(queue ? "queue" : "exchange", name));
    }
  }

  void bind(String source, String target, String key) {
    bindings.add(new Binding(source, target, key));
  }

  void unbind(String source, String target, String key) {
    bindings.remove(new Binding(source, target, key));
  }

  void consume(String queue, DeliverCallback consumer) {
    consumers.put(queue, consumer);
  }

  void runBefore() throws IOException {
    run(before);
  }

  private static void run(Deque<Hook> hooks) throws IOException {
    Hook hook = hooks.poll();
    if (hook != null) {
      hook.run();
    }
  }

  void take(Sent message) throws IOException {
    FakeChannel channel = message.channel();
    if (message.exchange().endsWith(".sink-here")) {
      if (!answersForSinks) {
        return;
      }
      if (bindings.stream().noneMatch(each -> each.source.equals(message.exchange()))) {
        channel.giveBack(message);
      }
      channel.answer(message, true, false);
      return;
    }
    Map<String, Object> headers = message.properties().getHeaders();
    String keys = headers == null ? "" : String.valueOf(headers.get("BCC"));
    for (Map.Entry<String, DeliverCallback> each : consumers.entrySet()) {
      if (keys.contains(each.getKey().replaceFirst(".*\\.probe\\.", "pw-probe-"))) {
        answerProbe(message, each.getValue());
        return;
      }
    }
    sent.add(message);
    run(during);
  }

  private void answerProbe(Sent message, DeliverCallback consumer) {
    if (probe == Probe.IS_NOT_ANSWERED) {
      return;
    }
    message.channel().answer(message, true, false);
    if (probe == Probe.COMES_BACK) {
      Envelope envelope = new Envelope(1, false, "", "");
      Delivery back = new Delivery(envelope, message.properties(), new byte[0]);
      if (held.isZero()) {
        deliver(consumer, back);
      } else {
        time.after(held, Runnable::run).execute(() -> deliver(consumer, back));
      }
    }
  }

  private static void deliver(DeliverCallback consumer, Delivery delivery) {
    try {
      consumer.handle("probe", delivery);
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  /** Something that happens in the middle of a call. */
  @FunctionalInterface
  public interface Hook {
    void run() throws IOException;
  }

  private final class Factory extends ConnectionFactory {
    @Override
    public Connection newConnection(String name) throws IOException {
      String why = away;
      if (why != null) {
        throw new ConnectException(why);
      }
      if (name.endsWith(" policies")) {
        throw new ConnectException("a fake has no policies");
      }
      FakeConnection made = new FakeConnection(FakeBroker.this, name);
      connections.add(made);
      FakeBroker.run(connecting);
      return made.proxy;
    }

    @Override
    public Connection newConnection(List<Address> addresses, String name) throws IOException {
      return newConnection(name);
    }
  }

  static ShutdownSignalException lost(Object what, String why) {
    return new ShutdownSignalException(true, false, null, what, why, new IOException(why));
  }
}
