// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.spring;

import com.rabbitmq.client.Channel;
import java.lang.reflect.Method;
import org.springframework.amqp.core.Message;
import org.springframework.amqp.core.ReceiveAndReplyCallback;
import org.springframework.amqp.core.ReplyToAddressCallback;
import org.springframework.amqp.rabbit.core.RabbitTemplate;
import org.springframework.util.ReflectionUtils;

/** The half of {@code receiveAndReply} that follows the receiving; Spring keeps it to itself. */
final class Replying {
  private static final Method SEND_REPLY = sendReply();

  private Replying() {}

  static boolean reply(
      RabbitTemplate template,
      ReceiveAndReplyCallback<?, ?> callback,
      ReplyToAddressCallback<?> replyTo,
      Channel channel,
      Message received) {
    return Boolean.TRUE.equals(
        ReflectionUtils.invokeMethod(SEND_REPLY, template, callback, replyTo, channel, received));
  }

  private static Method sendReply() {
    Method method =
        ReflectionUtils.findMethod(
            RabbitTemplate.class,
            "sendReply",
            ReceiveAndReplyCallback.class,
            ReplyToAddressCallback.class,
            Channel.class,
            Message.class);
    if (method == null) {
      throw new IllegalStateException(
          "this version of Spring AMQP has no RabbitTemplate.sendReply");
    }
    ReflectionUtils.makeAccessible(method);
    return method;
  }
}
