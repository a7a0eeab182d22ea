// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.testing;

import com.rabbitmq.client.AMQP;
import com.rabbitmq.client.AMQP.BasicProperties;
import com.rabbitmq.client.AlreadyClosedException;
import com.rabbitmq.client.CancelCallback;
import com.rabbitmq.client.Channel;
import com.rabbitmq.client.ChannelContinuationTimeoutException;
import com.rabbitmq.client.ConfirmCallback;
import com.rabbitmq.client.ConfirmListener;
import com.rabbitmq.client.DeliverCallback;
import com.rabbitmq.client.GetResponse;
import com.rabbitmq.client.Return;
import com.rabbitmq.client.ReturnCallback;
import com.rabbitmq.client.ReturnListener;
import com.rabbitmq.client.ShutdownListener;
import com.rabbitmq.client.ShutdownSignalException;
import com.rabbitmq.client.impl.AMQImpl;
import io.pocketwatch.testing.Sent.Answer;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/** What we use of a {@link Channel}. */
final class FakeChannel {
  final Channel proxy = Fakes.as(Channel.class, this);
  private final FakeConnection connection;
  private final FakeBroker broker;
  private final List<ShutdownListener> shutdownListeners = new ArrayList<>();
  private final List<Sent> unanswered = new ArrayList<>();
  private @Nullable ConfirmCallback acks;
  private @Nullable ConfirmCallback nacks;
  private @Nullable ReturnCallback returns;
  private @Nullable ShutdownSignalException signal;
  private boolean told;
  private long next;

  FakeChannel(FakeConnection connection) {
    this.connection = connection;
    this.broker = connection.broker();
  }

  void requireOpen() {
    ShutdownSignalException why = signal();
    if (why != null) {
      throw new AlreadyClosedException(why);
    }
  }

  /** The same in the middle of a question: the client wraps what ends it. */
  void requireStillOpen() throws IOException {
    ShutdownSignalException why = signal();
    if (why != null) {
      throw new IOException(why);
    }
  }

  private @Nullable ShutdownSignalException signal() {
    return signal == null ? connection.signal() : signal;
  }

  IOException refuse(int code, String text) {
    ShutdownSignalException why = closed(code, text);
    tell(why);
    return new IOException(why);
  }

  void closeByBroker(int code, String text) {
    tell(closed(code, text));
  }

  void closeUntold() {
    signal = closed(AMQP.INTERNAL_ERROR, "INTERNAL_ERROR");
    told = true;
    connection.dying();
  }

  private ShutdownSignalException closed(int code, String text) {
    AMQP.Channel.Close close =
        new AMQP.Channel.Close.Builder().replyCode(code).replyText(text).build();
    return new ShutdownSignalException(false, false, close, proxy);
  }

  ChannelContinuationTimeoutException silence() {
    return new ChannelContinuationTimeoutException(new TimeoutException(), proxy, 1, null);
  }

  void tell(ShutdownSignalException why) {
    if (signal == null) {
      signal = why;
    }
    if (!told) {
      told = true;
      List.copyOf(shutdownListeners).forEach(each -> each.shutdownCompleted(why));
    }
  }

  void answer(Sent message, boolean ack, boolean andAllBefore) {
    if (!isOpen()) {
      throw new AssertionError("no answer comes on a closed channel: " + message.id());
    }
    List<Sent> meant =
        unanswered.stream()
            .filter(each -> each == message || andAllBefore && each.number() < message.number())
            .toList();
    unanswered.removeAll(meant);
    meant.forEach(each -> each.answered(ack ? Answer.ACK : Answer.NACK, broker.now()));
    ConfirmCallback callback = ack ? acks : nacks;
    try {
      if (callback != null) {
        callback.handle(message.number(), andAllBefore);
      }
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  void giveBack(Sent message) throws IOException {
    message.returned();
    if (returns != null) {
      returns.handle(
          new Return(
              AMQP.NO_ROUTE,
              "NO_ROUTE",
              message.exchange(),
              message.routingKey(),
              message.properties(),
              message.body()));
    }
  }

  // Called through the proxy

  boolean isOpen() {
    return signal() == null;
  }

  void addShutdownListener(ShutdownListener listener) {
    shutdownListeners.add(listener);
    if (told && signal != null) {
      listener.shutdownCompleted(signal);
    }
  }

  ConfirmListener addConfirmListener(ConfirmCallback whenAcked, ConfirmCallback whenNacked) {
    acks = whenAcked;
    nacks = whenNacked;
    return Fakes.as(ConfirmListener.class, new Object());
  }

  ReturnListener addReturnListener(ReturnCallback whenReturned) {
    returns = whenReturned;
    return Fakes.as(ReturnListener.class, new Object());
  }

  AMQP.Confirm.SelectOk confirmSelect() {
    requireOpen();
    next = 1;
    return new AMQImpl.Confirm.SelectOk();
  }

  long getNextPublishSeqNo() {
    return next;
  }

  void basicPublish(
      String exchange, String key, boolean mandatory, BasicProperties properties, byte[] body)
      throws IOException {
    long number = next++;
    broker.runBefore();
    requireOpen();
    Sent message = new Sent(this, number, exchange, key, properties, body, broker.now());
    unanswered.add(message);
    broker.take(message);
  }

  void abort() {
    if (isOpen()) {
      tell(new ShutdownSignalException(false, true, null, proxy, "clean channel shutdown", null));
    }
  }

  void close() {
    requireOpen();
    abort();
  }

  AMQP.Exchange.DeclareOk exchangeDeclare(
      String name, String type, boolean durable, boolean autoDelete, Map<String, Object> arguments)
      throws IOException {
    broker.ask(this, "exchange.declare", name);
    broker.hasExchange(name);
    return new AMQImpl.Exchange.DeclareOk();
  }

  AMQP.Exchange.DeleteOk exchangeDelete(String name) throws IOException {
    broker.ask(this, "exchange.delete", name);
    broker.loses(name);
    return new AMQImpl.Exchange.DeleteOk();
  }

  void exchangeDeleteNoWait(String name, boolean ifUnused) {
    requireOpen();
    broker.loses(name);
  }

  AMQP.Exchange.DeclareOk exchangeDeclarePassive(String name) throws IOException {
    broker.ask(this, "exchange.look", name);
    broker.requireThere(this, false, name);
    return new AMQImpl.Exchange.DeclareOk();
  }

  AMQP.Queue.DeclareOk queueDeclare(
      String name,
      boolean durable,
      boolean exclusive,
      boolean autoDelete,
      Map<String, Object> arguments)
      throws IOException {
    broker.ask(this, "queue.declare", name);
    broker.hasQueue(name);
    return new AMQImpl.Queue.DeclareOk(name, 0, 0);
  }

  AMQP.Queue.DeclareOk queueDeclarePassive(String name) throws IOException {
    broker.ask(this, "queue.look", name);
    broker.requireThere(this, true, name);
    return new AMQImpl.Queue.DeclareOk(name, 0, 0);
  }

  AMQP.Queue.DeleteOk queueDelete(String name) throws IOException {
    broker.ask(this, "queue.delete", name);
    broker.loses(name);
    return new AMQImpl.Queue.DeleteOk(0);
  }

  void queueDeleteNoWait(String name, boolean ifUnused, boolean ifEmpty) {
    requireOpen();
    broker.loses(name);
  }

  AMQP.Queue.BindOk queueBind(String queue, String exchange, String key) throws IOException {
    broker.ask(this, "queue.bind", queue);
    broker.bind(exchange, queue, key);
    return new AMQImpl.Queue.BindOk();
  }

  AMQP.Queue.BindOk queueBind(
      String queue, String exchange, String key, Map<String, Object> arguments) throws IOException {
    return queueBind(queue, exchange, key); // of the arguments no order of events depends
  }

  AMQP.Exchange.BindOk exchangeBind(
      String target, String source, String key, Map<String, Object> arguments) throws IOException {
    return exchangeBind(target, source, key);
  }

  AMQP.Exchange.BindOk exchangeBind(String target, String source, String key) throws IOException {
    broker.ask(this, "exchange.bind", target);
    broker.bind(source, target, key);
    return new AMQImpl.Exchange.BindOk();
  }

  AMQP.Queue.UnbindOk queueUnbind(String queue, String exchange, String key) throws IOException {
    broker.ask(this, "queue.unbind", queue);
    broker.unbind(exchange, queue, key);
    return new AMQImpl.Queue.UnbindOk();
  }

  @Nullable GetResponse basicGet(String queue, boolean autoAck) throws IOException {
    broker.ask(this, "basic.get", queue);
    return null;
  }

  String basicConsume(String queue, boolean autoAck, DeliverCallback deliver, CancelCallback cancel)
      throws IOException {
    broker.ask(this, "basic.consume", queue);
    broker.consume(queue, deliver);
    return "consumer";
  }
}
