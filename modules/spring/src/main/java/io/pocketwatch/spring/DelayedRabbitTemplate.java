// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.spring;

import static java.util.stream.Collectors.toSet;

import com.rabbitmq.client.AMQP.BasicProperties;
import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Return;
import io.pocketwatch.DelayedPublisher;
import io.pocketwatch.guard.DeliveryGuard;
import io.pocketwatch.internal.plan.Submission;
import io.pocketwatch.spring.internal.SpringInternals;
import io.pocketwatch.spring.listener.ReceivedDelays;
import java.io.IOException;
import java.util.Collection;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.amqp.AmqpException;
import org.springframework.amqp.core.Address;
import org.springframework.amqp.core.Message;
import org.springframework.amqp.core.MessagePostProcessor;
import org.springframework.amqp.core.MessageProperties;
import org.springframework.amqp.core.ReceiveAndReplyCallback;
import org.springframework.amqp.core.ReplyToAddressCallback;
import org.springframework.amqp.rabbit.connection.AbstractRoutingConnectionFactory;
import org.springframework.amqp.rabbit.connection.ConnectionFactory;
import org.springframework.amqp.rabbit.connection.CorrelationData;
import org.springframework.amqp.rabbit.connection.PendingConfirm;
import org.springframework.amqp.rabbit.connection.RabbitUtils;
import org.springframework.amqp.rabbit.core.CorrelationDataPostProcessor;
import org.springframework.amqp.rabbit.core.RabbitTemplate;
import org.springframework.amqp.rabbit.support.RabbitExceptionTranslator;

/**
 * A {@code RabbitTemplate} whose send methods honour the delay that a message asks for. A message
 * asks by {@code setDelayLong}, an {@code x-delay} header, {@link Delayed}, or its route. A message
 * that asks for no delay is sent as usual.
 *
 * <p>Spring publishes on the channel it chose, so that transacted channels, {@code invoke},
 * confirms, returns and direct replies work as they do without a delay. {@code CorrelationData} is
 * acknowledged when the message is durably kept: by its hold queue, or by a commit of the store's
 * database. A stored message needs no broker. Unless it joins a transaction, the call returns once
 * it is committed. A message whose hold queue is missing is always returned, whether or not the
 * template is mandatory. It goes to {@code CorrelationData} and {@code ReturnsCallback}; without
 * either it is logged. The plugin's exchange ({@code DELAYED_EXCHANGE}) returns nothing.
 *
 * <p>Before-publish post-processors run once per call, not once per attempt of a retry. For a
 * request that waits for its reply they run for each attempt, which has a correlation id of its
 * own. A message keeps its id and its instant in all attempts. A call that cannot send as asked
 * throws {@link DelayedSendException}. Thread-safe like its superclass.
 */
public class DelayedRabbitTemplate extends RabbitTemplate {
  private static final Logger LOG = LoggerFactory.getLogger(DelayedRabbitTemplate.class);

  private final DelayedSending sending;
  private final MissingHoldReturns heldReturns;
  private final MessagePostProcessor cleaning;
  private final BeforePublishProcessors beforePublish = new BeforePublishProcessors();
  private volatile @Nullable CorrelationDataPostProcessor correlationDataPostProcessor;
  private volatile boolean returnsCallback;
  private volatile Supplier<@Nullable DeliveryGuard> guards = () -> null;
  private volatile long receiveTimeout;
  private final Map<String, Object> consumerArguments = new ConcurrentHashMap<>();

  /** Creates a template without a connection factory, which is to be set before use. */
  public DelayedRabbitTemplate(DelayedPublisher publisher) {
    this.sending = new DelayedSending(publisher);
    this.heldReturns = new MissingHoldReturns(publisher.routes());
    this.cleaning = ReceivedDelays.cleaning(publisher.routes().hold().namePrefix());
    super.addAfterReceivePostProcessors(cleaning);
    super.setCorrelationDataPostProcessor(this::correlated);
  }

  /**
   * @param connectionFactory reaches the same broker and virtual host as the publisher
   */
  public DelayedRabbitTemplate(ConnectionFactory connectionFactory, DelayedPublisher publisher) {
    this(publisher);
    setConnectionFactory(connectionFactory);
    afterPropertiesSet();
  }

  /** Takes over a setting of another template; false if Spring's own field must be set, too. */
  boolean takes(String name, @Nullable Object setting) {
    switch (name) {
      case "beforePublishPostProcessors" ->
          processors(setting, this::setBeforePublishPostProcessors);
      case "afterReceivePostProcessors" -> processors(setting, this::setAfterReceivePostProcessors);
      case "correlationDataPostProcessor" ->
          this.correlationDataPostProcessor = (CorrelationDataPostProcessor) setting;
      case "receiveTimeout" -> setReceiveTimeout((long) Objects.requireNonNull(setting));
      case "returnsCallback" -> {
        this.returnsCallback = setting != null;
        return false;
      }
      default -> {
        return false;
      }
    }
    return true;
  }

  private static void processors(
      @Nullable Object setting, Consumer<MessagePostProcessor[]> setter) {
    if (setting instanceof Collection<?> all) {
      setter.accept(
          all.stream().map(MessagePostProcessor.class::cast).toArray(MessagePostProcessor[]::new));
    }
  }

  /** Replaces the processors, as in Spring, save the one that cleans received messages. */
  @Override
  public void setAfterReceivePostProcessors(MessagePostProcessor... processors) {
    super.setAfterReceivePostProcessors(processors);
    addAfterReceivePostProcessors(cleaning);
  }

  /** Lets stored messages join database transactions. Without a join they are stored at once. */
  public void setTransactionJoin(TransactionJoin transactions) {
    sending.transactions(transactions);
  }

  /**
   * Refuses tracked messages that this template receives by itself, since only a listener can
   * settle them. The call throws, and the message is requeued. All other messages are received as
   * usual. It has no effect with a routing connection factory.
   *
   * @param guard the guard of the listeners, asked for at each call; null to refuse nothing
   */
  public void setGuard(Supplier<@Nullable DeliveryGuard> guard) {
    this.guards = guard;
  }

  private boolean isGuarded() {
    return !(getConnectionFactory() instanceof AbstractRoutingConnectionFactory)
        && guards.get() != null;
  }

  @Override
  @SuppressWarnings("NullAway") // a callback may return null
  protected @Nullable Message doReceiveNoWait(String queueName) {
    return isGuarded()
        ? this.<@Nullable Message>execute(channel -> received(channel, queueName, null))
        : super.doReceiveNoWait(queueName);
  }

  @Override
  @SuppressWarnings("NullAway") // a callback may return null
  public @Nullable Message receive(String queueName, long timeoutMillis) {
    return isGuarded()
        ? this.<@Nullable Message>execute(channel -> received(channel, queueName, timeoutMillis))
        : super.receive(queueName, timeoutMillis);
  }

  private @Nullable Message received(Channel channel, String queue, @Nullable Long timeoutMillis)
      throws IOException {
    Message taken = take(channel, queue, timeoutMillis);
    if (taken != null && isChannelLocallyTransacted(channel)) {
      RabbitUtils.commitIfNecessary(channel);
    }
    return taken;
  }

  private @Nullable Message take(Channel channel, String queue, @Nullable Long timeoutMillis)
      throws IOException {
    boolean local = isChannelLocallyTransacted(channel);
    ConnectionFactory joined = isChannelTransacted() && !local ? getConnectionFactory() : null;
    SingleReceive.Taken taken =
        new SingleReceive(channel, local, joined).take(queue, consumerArguments, timeoutMillis);
    if (taken == null) {
      return null;
    }
    MessageProperties properties =
        getMessagePropertiesConverter()
            .toMessageProperties(
                taken.delivery().getProperties(), taken.delivery().getEnvelope(), getEncoding());
    properties.setMessageCount(taken.left());
    Message message = new Message(taken.delivery().getBody(), properties);
    Collection<MessagePostProcessor> processors = getAfterReceivePostProcessors();
    if (processors != null) {
      for (MessagePostProcessor processor : processors) {
        message = processor.postProcessMessage(message);
      }
    }
    return message;
  }

  /** Refuses a tracked message if there is a guard. Replies are sent as by Spring. */
  @Override
  public <R, S> boolean receiveAndReply(
      String queueName,
      ReceiveAndReplyCallback<R, S> callback,
      ReplyToAddressCallback<S> replyToAddressCallback)
      throws AmqpException {
    if (!isGuarded()) {
      return super.receiveAndReply(queueName, callback, replyToAddressCallback);
    }
    Long patience = receiveTimeout == 0 ? null : receiveTimeout;
    Boolean replied =
        this.<@Nullable Boolean>execute(
            channel -> {
              Message taken = take(channel, queueName, patience);
              return taken != null
                  && Boolean.TRUE.equals(
                      SpringInternals.SEND_REPLY.of(
                          this, callback, replyToAddressCallback, channel, taken));
            });
    return Boolean.TRUE.equals(replied);
  }

  @Override
  public void addConsumerArg(String arg, Object value) {
    super.addConsumerArg(arg, value);
    consumerArguments.put(arg, value);
  }

  @Override
  public Object removeConsumerArg(String arg) {
    consumerArguments.remove(arg);
    return super.removeConsumerArg(arg);
  }

  @Override
  public void setReceiveTimeout(long receiveTimeout) {
    super.setReceiveTimeout(receiveTimeout);
    this.receiveTimeout = receiveTimeout;
  }

  boolean joinsTransactions() {
    return sending.joinsTransactions();
  }

  DelayedPublisher publisher() {
    return sending.publisher();
  }

  /** Whether the message asks for a delay; a before-publish post-processor may still add one. */
  boolean delays(String exchange, String routingKey, Message message) {
    return sending.delays(exchange, routingKey, message);
  }

  /** Decides before a channel is opened, since a stored message needs none. */
  @Override
  public void send(
      @Nullable String exchange,
      @Nullable String routingKey,
      Message message,
      @Nullable CorrelationData correlationData)
      throws AmqpException {
    String exch = nullSafeExchange(exchange);
    String key = nullSafeRoutingKey(routingKey);
    IdentifiedMessage identified = identify(exch, key, message, correlationData);
    if (identified.isStored()) {
      store(exch, key, identified);
    } else {
      super.send(exch, key, identified, correlationData);
    }
  }

  /** Wraps the message, so that each attempt of a retry reaches {@link #doSend} with one object. */
  @Override
  protected @Nullable Message doSendAndReceive(
      @Nullable String exchange,
      @Nullable String routingKey,
      Message message,
      @Nullable CorrelationData correlationData) {
    return super.doSendAndReceive(
        exchange, routingKey, new IdentifiedMessage.Request(message), correlationData);
  }

  /** Also called for requests and replies, which have a channel already. */
  @Override
  public void doSend(
      Channel channel,
      @Nullable String exchange,
      @Nullable String routingKey,
      Message message,
      boolean mandatory,
      @Nullable CorrelationData correlationData) {
    String exch = nullSafeExchange(exchange);
    String key = nullSafeRoutingKey(routingKey);
    IdentifiedMessage identified =
        message instanceof IdentifiedMessage already
            ? already
            : identify(exch, key, message, correlationData);
    Submission submission = identified.submission();
    if (submission == null) {
      super.doSend(channel, exch, key, identified, mandatory, correlationData);
    } else if (!identified.isStored()) {
      sending.prepare(channel, identified, submission, properties(identified));
      super.doSend(channel, exch, key, identified, mandatory, correlationData);
    } else {
      store(exch, key, identified);
      if (isChannelLocallyTransacted(channel)) {
        RabbitUtils.commitIfNecessary(channel); // commits the acknowledgement of the request
      }
    }
  }

  private BasicProperties properties(Message message) {
    return getMessagePropertiesConverter()
        .fromMessageProperties(message.getMessageProperties(), getEncoding());
  }

  private IdentifiedMessage identify(
      String exchange,
      String routingKey,
      Message message,
      @Nullable CorrelationData correlationData) {
    Message processed = beforePublish.apply(message, correlationData, exchange, routingKey);
    IdentifiedMessage earlier =
        message instanceof IdentifiedMessage.Request request ? request.identified() : null;
    IdentifiedMessage identified =
        earlier == null
            ? sending.identify(exchange, routingKey, processed, correlationData)
            : earlier.again(processed);
    if (message instanceof IdentifiedMessage.Request request) {
      request.identified(identified);
    }
    if (identified.submission() != null
        && !identified.isStored()
        && getConnectionFactory() instanceof AbstractRoutingConnectionFactory) {
      throw new DelayedSendException(
          "a delay needs to know its broker, and this template's connection factory chooses among"
              + " several; use a DelayedRabbitTemplate for each");
    }
    return identified;
  }

  /**
   * Runs Spring's own steps, such as observation, up to {@link #sendToRabbit}, without a channel.
   */
  @SuppressWarnings("NullAway")
  private void store(String exchange, String routingKey, IdentifiedMessage message) {
    String replyTo = message.getMessageProperties().getReplyTo();
    if (Address.AMQ_RABBITMQ_REPLY_TO.equals(replyTo)) {
      throw new DelayedSendException(
          "a request for a direct reply is tied to its channel and cannot be stored. Set a reply"
              + " queue on the template, or use a route that is not tracked");
    }
    super.doSend(null, exchange, routingKey, message, false, null);
  }

  @Override
  protected boolean isChannelLocallyTransacted(@Nullable Channel channel) {
    return channel != null && super.isChannelLocallyTransacted(channel);
  }

  @Override
  protected void sendToRabbit(
      Channel channel, String exchange, String routingKey, boolean mandatory, Message message) {
    BasicProperties properties = properties(message);
    IdentifiedMessage identified = message instanceof IdentifiedMessage known ? known : null;
    Submission submission = identified == null ? null : identified.submission();
    try {
      if (identified == null || submission == null) {
        channel.basicPublish(
            exchange,
            routingKey,
            mandatory,
            DelayedSending.undelayed(properties),
            message.getBody());
      } else if (identified.isStored()) {
        // Called before storing: if it threw later, a stored message would seem unsent.
        CorrelationData waiting = processed(identified, identified.correlationData());
        sending.store(submission, properties, problem -> kept(waiting, problem));
      } else {
        sending.publish(
            channel,
            identified,
            submission,
            mandatory,
            heldReturns.heard(this, channel, properties));
      }
    } catch (IOException e) {
      throw RabbitExceptionTranslator.convertRabbitAccessException(e);
    }
  }

  private @Nullable CorrelationData processed(Message message, @Nullable CorrelationData given) {
    CorrelationDataPostProcessor postProcessor = correlationDataPostProcessor;
    return postProcessor == null ? given : postProcessor.postProcess(message, given);
  }

  /** The correlation data that Spring keeps until the confirm. Spring allows null for none. */
  @SuppressWarnings("NullAway")
  private CorrelationData correlated(Message message, @Nullable CorrelationData given) {
    CorrelationData senders = processed(message, given);
    boolean held =
        message instanceof IdentifiedMessage identified && identified.submission() != null;
    return held && senders != null ? new OriginalTarget(senders) : senders;
  }

  @Override
  public void handleConfirm(PendingConfirm pendingConfirm, boolean ack) {
    super.handleConfirm(OriginalTarget.senders(pendingConfirm), ack);
  }

  @Override
  public @Nullable Collection<CorrelationData> getUnconfirmed(long age) {
    Collection<CorrelationData> all = super.getUnconfirmed(age);
    return all == null ? null : all.stream().map(OriginalTarget::senders).collect(toSet());
  }

  /** Tells whoever waits for a confirm that the store has the message, or why it has not. */
  private void kept(@Nullable CorrelationData correlationData, @Nullable String problem) {
    PendingConfirm confirm = new PendingConfirm(correlationData, System.currentTimeMillis());
    if (problem != null) {
      confirm.setCause(problem);
    }
    if (correlationData != null) {
      correlationData.getFuture().complete(new CorrelationData.Confirm(problem == null, problem));
    }
    try {
      handleConfirm(confirm, problem == null);
    } catch (RuntimeException e) { // the message is stored all the same
      LOG.error("The confirm callback failed", e);
    }
  }

  @Override
  public void handleReturn(Return returned) {
    if (MissingHoldReturns.unheard(returned, returnsCallback)) {
      heldReturns.complain(returned);
    } else {
      super.handleReturn(DelayedSending.restoreInPlace(returned));
    }
  }

  @Override
  public void setReturnsCallback(ReturnsCallback callback) {
    super.setReturnsCallback(callback);
    this.returnsCallback = callback != null; // Spring takes null, as none
  }

  @Override
  public void setCorrelationDataPostProcessor(CorrelationDataPostProcessor postProcessor) {
    this.correlationDataPostProcessor = postProcessor;
  }

  @Override
  public @Nullable Collection<MessagePostProcessor> getBeforePublishPostProcessors() {
    return beforePublish.get();
  }

  @Override
  public void setBeforePublishPostProcessors(MessagePostProcessor... processors) {
    beforePublish.set(processors);
  }

  @Override
  public void addBeforePublishPostProcessors(MessagePostProcessor... processors) {
    beforePublish.add(processors);
  }

  @Override
  public boolean removeBeforePublishPostProcessor(MessagePostProcessor processor) {
    return beforePublish.remove(processor);
  }
}
