// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.spring;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.amqp.core.Message;
import org.springframework.amqp.core.MessagePostProcessor;
import org.springframework.amqp.rabbit.connection.CorrelationData;
import org.springframework.amqp.support.postprocessor.MessagePostProcessorUtils;

/**
 * A template's before-publish post-processors. They may give a message its delay, and so must run
 * before it is known whether a channel is needed. They run only once, however often the message is
 * tried.
 */
final class BeforePublishProcessors {
  private volatile @Nullable Collection<MessagePostProcessor> processors;

  void set(MessagePostProcessor... all) {
    processors = MessagePostProcessorUtils.sort(Arrays.asList(all));
  }

  synchronized void add(MessagePostProcessor... more) {
    List<MessagePostProcessor> all = new ArrayList<>(current());
    all.addAll(Arrays.asList(more));
    processors = MessagePostProcessorUtils.sort(all);
  }

  synchronized boolean remove(MessagePostProcessor processor) {
    List<MessagePostProcessor> rest = new ArrayList<>(current());
    boolean removed = rest.remove(processor);
    if (removed) {
      processors = rest;
    }
    return removed;
  }

  /** Null if none were ever set, as in Spring. */
  @Nullable Collection<MessagePostProcessor> get() {
    Collection<MessagePostProcessor> all = processors;
    return all == null ? null : Collections.unmodifiableCollection(all);
  }

  Message apply(
      Message message,
      @Nullable CorrelationData correlationData,
      String exchange,
      String routingKey) {
    Message processed = message;
    for (MessagePostProcessor processor : current()) {
      processed = processor.postProcessMessage(processed, correlationData, exchange, routingKey);
    }
    return processed;
  }

  private Collection<MessagePostProcessor> current() {
    Collection<MessagePostProcessor> all = processors;
    return all == null ? List.of() : all;
  }
}
