// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.spring.listener;

import com.rabbitmq.client.Channel;
import java.util.List;
import org.aopalliance.intercept.MethodInterceptor;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;
import org.springframework.amqp.core.Message;
import org.springframework.aop.ProxyMethodInvocation;

/**
 * The first of a container's advices: decides before a retry, a transaction or anything else
 * begins, and settles when all of that is over. Inside of a retry, "not now" would be one more
 * failure, repeated and then dead-lettered.
 */
final class GuardAdvice implements MethodInterceptor {
  private final Desk desk;

  GuardAdvice(Desk desk) {
    this.desk = desk;
  }

  @Override
  public @Nullable Object invoke(MethodInvocation invocation) throws Throwable {
    @Nullable Object[] arguments = invocation.getArguments();
    if (arguments.length != 2
        || !(arguments[0] instanceof Channel channel)
        || !(invocation instanceof ProxyMethodInvocation proxied)) {
      return invocation.proceed();
    }
    List<Message> arrived = messages(arguments[1]);
    if (arrived.isEmpty()) {
      return invocation.proceed();
    }
    if (desk.letsPass(channel, arrived)) {
      new Attempts(arrived.stream().map(DeliveryInProgress::ofOthers).toList()).attachTo(proxied);
      return invocation.proceed();
    }
    Turn turn = desk.take(channel, arrived);
    if (turn.messages().isEmpty()) {
      return null;
    }
    Message first = turn.messages().get(0);
    proxied.setArguments(
        turn.listenersChannel(), arguments[1] instanceof List ? turn.messages() : first);
    Attempts attempts = new Attempts(turn.inProgress());
    attempts.attachTo(proxied);
    Object result;
    try {
      result = proceed(proxied);
    } catch (Throwable e) {
      if (first.getMessageProperties().isFinalRetryForMessageWithNoId()) { // of the copy
        arrived.get(0).getMessageProperties().setFinalRetryForMessageWithNoId(true);
      }
      throw turn.failed(attempts, e);
    }
    turn.returned(attempts);
    return result;
  }

  private static @Nullable Object proceed(MethodInvocation invocation) throws Throwable {
    AfterListener after = AfterListener.begin();
    try {
      return invocation.proceed();
    } finally {
      after.end();
    }
  }

  private static List<Message> messages(@Nullable Object data) {
    if (data instanceof Message message) {
      return List.of(message);
    }
    return data instanceof List<?> list
        ? list.stream().filter(Message.class::isInstance).map(Message.class::cast).toList()
        : List.of();
  }
}
