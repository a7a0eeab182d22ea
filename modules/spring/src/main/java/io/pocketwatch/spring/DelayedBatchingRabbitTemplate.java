// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.spring;

import com.rabbitmq.client.Channel;
import org.jspecify.annotations.Nullable;
import org.springframework.amqp.AmqpException;
import org.springframework.amqp.core.Message;
import org.springframework.amqp.rabbit.batch.BatchingStrategy;
import org.springframework.amqp.rabbit.connection.ConnectionFactory;
import org.springframework.amqp.rabbit.connection.CorrelationData;
import org.springframework.amqp.rabbit.connection.PublisherCallbackChannel;
import org.springframework.amqp.rabbit.connection.RabbitUtils;
import org.springframework.amqp.rabbit.core.BatchingRabbitTemplate;
import org.springframework.scheduling.TaskScheduler;

/**
 * Batches messages that ask for no delay. A batch has the properties of its first message and so
 * can have only one delay. Messages that ask for a delay are sent singly, by another template; so
 * are such requests and replies of {@code receiveAndReply}.
 */
public class DelayedBatchingRabbitTemplate extends BatchingRabbitTemplate {
  private final DelayedRabbitTemplate delayed;

  /**
   * @param delayed sends the messages that ask for a delay, with its own callbacks and settings
   */
  public DelayedBatchingRabbitTemplate(
      DelayedRabbitTemplate delayed, BatchingStrategy batchingStrategy, TaskScheduler scheduler) {
    super(batchingStrategy, scheduler);
    this.delayed = delayed;
    ConnectionFactory connectionFactory = delayed.getConnectionFactory();
    setConnectionFactory(connectionFactory);
    afterPropertiesSet();
  }

  /** The template for messages that ask for a delay. */
  DelayedRabbitTemplate delayed() {
    return delayed;
  }

  @Override
  public void send(
      @Nullable String exchange,
      @Nullable String routingKey,
      Message message,
      @Nullable CorrelationData correlationData)
      throws AmqpException {
    String exch = nullSafeExchange(exchange);
    String key = nullSafeRoutingKey(routingKey);
    if (delayed.delays(exch, key, message)) {
      delayed.send(exch, key, message, correlationData);
    } else {
      super.send(exch, key, message, correlationData);
    }
  }

  /** Called for requests and replies, which are not batched, and for whole batches. */
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
    if (!delayed.delays(exch, key, message)) {
      super.doSend(channel, exch, key, message, mandatory, correlationData);
      return;
    }
    if (channel instanceof PublisherCallbackChannel) {
      delayed.addListener(channel);
    }
    delayed.doSend(channel, exch, key, message, mandatory, correlationData);
    if (isChannelLocallyTransacted(channel)) {
      RabbitUtils.commitIfNecessary(channel);
    }
  }

  /** Refuses a delay that only a before-publish post-processor of this template has set. */
  @Override
  protected void sendToRabbit(
      Channel channel, String exchange, String routingKey, boolean mandatory, Message message) {
    if (DelayRequest.forDelay(message)) {
      throw new DelayedSendException(
          "a before-publish post-processor of the batching template gave a message a delay, when"
              + " it was in a batch already. Set it on the template that sends delayed messages,"
              + " and give the delay when sending");
    }
    super.sendToRabbit(channel, exchange, routingKey, mandatory, message);
  }
}
