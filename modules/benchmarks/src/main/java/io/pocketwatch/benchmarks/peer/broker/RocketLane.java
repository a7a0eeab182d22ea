// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.benchmarks.peer.broker;

import io.pocketwatch.benchmarks.harness.Lane;
import io.pocketwatch.benchmarks.harness.Ledger;
import io.pocketwatch.benchmarks.harness.Payload;
import java.io.IOException;
import java.time.Duration;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.apache.rocketmq.client.consumer.DefaultMQPushConsumer;
import org.apache.rocketmq.client.consumer.listener.ConsumeConcurrentlyStatus;
import org.apache.rocketmq.client.consumer.listener.MessageListenerConcurrently;
import org.apache.rocketmq.client.exception.MQClientException;
import org.apache.rocketmq.client.producer.DefaultMQProducer;
import org.apache.rocketmq.common.consumer.ConsumeFromWhere;
import org.apache.rocketmq.common.message.Message;
import org.apache.rocketmq.common.message.MessageExt;

/**
 * A topic, a producer and a consumer of the lane's own. Nothing takes a delayed message back: what
 * is left of a round comes due in a topic that nobody reads any more.
 */
final class RocketLane implements Lane {
  /** The topic that others are made like; every broker has it. */
  private static final String TEMPLATE = "TBW102";

  private static final int QUEUES = 4;
  private static final int IN_FLIGHT = 2_000;
  private static final int SEND_LIMIT_MILLIS = 30_000;
  private static final int PROBE = -1;
  private static final Duration PROBE_LIMIT = Duration.ofSeconds(40);

  private final String topic = "benchmarks-" + UUID.randomUUID();
  private final RocketDelay delay;
  private final Ledger ledger;
  private final DefaultMQProducer producer = new DefaultMQProducer("producer-" + topic);
  private final DefaultMQPushConsumer consumer = new DefaultMQPushConsumer("consumer-" + topic);
  private final Semaphore free = new Semaphore(IN_FLIGHT);
  private final CountDownLatch reading = new CountDownLatch(1);

  private RocketLane(String address, RocketDelay delay, Ledger ledger) {
    this.delay = delay;
    this.ledger = ledger;
    producer.setNamesrvAddr(address);
    producer.setInstanceName(topic);
    producer.setRetryTimesWhenSendAsyncFailed(0); // a refusal is to be seen
    producer.setSendMsgTimeout(SEND_LIMIT_MILLIS);
    consumer.setNamesrvAddr(address);
    consumer.setInstanceName(topic);
    consumer.setConsumeFromWhere(ConsumeFromWhere.CONSUME_FROM_FIRST_OFFSET);
  }

  static RocketLane open(String address, RocketDelay delay, Ledger ledger) throws Exception {
    RocketLane lane = new RocketLane(address, delay, ledger);
    try {
      lane.start();
      return lane;
    } catch (Exception e) {
      lane.close();
      throw e;
    }
  }

  private void start() throws Exception {
    producer.start();
    createTopic();
    consumer.subscribe(topic, "*");
    consumer.registerMessageListener(
        (MessageListenerConcurrently)
            (messages, context) -> {
              messages.forEach(this::arrived);
              return ConsumeConcurrentlyStatus.CONSUME_SUCCESS;
            });
    consumer.start();
    awaitReader();
  }

  /** The broker tells the name server of itself a moment after it listens. */
  private void createTopic() throws MQClientException, InterruptedException {
    long end = System.nanoTime() + PROBE_LIMIT.toNanos();
    while (true) {
      try {
        producer.createTopic(TEMPLATE, topic, QUEUES, Map.of());
        return;
      } catch (MQClientException e) {
        if (System.nanoTime() > end) {
          throw e;
        }
        TimeUnit.MILLISECONDS.sleep(500);
      }
    }
  }

  /** A new consumer is given its queues some time after it has started. */
  private void awaitReader() throws Exception {
    long end = System.nanoTime() + PROBE_LIMIT.toNanos();
    do {
      if (System.nanoTime() > end) {
        throw new IOException("RocketMQ gives the consumer of a new topic nothing to read");
      }
      producer.send(new Message(topic, Payload.of(PROBE)));
    } while (!reading.await(1, TimeUnit.SECONDS));
  }

  private void arrived(MessageExt message) {
    int number = Payload.number(message.getBody());
    if (number == PROBE) {
      reading.countDown();
    } else {
      ledger.arrived(number);
    }
  }

  @Override
  public void ask(int number, byte[] payload, long dueMillis) throws Exception {
    Message message = new Message(topic, payload);
    delay.apply(message, dueMillis);
    free.acquire();
    producer.send(message, new RocketAnswer(ledger, free));
  }

  @Override
  public void close() {
    consumer.shutdown();
    producer.shutdown();
  }
}
