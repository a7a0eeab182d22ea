// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.spring.listener;

import io.pocketwatch.spring.listener.Defer.DeferException;
import java.util.List;
import java.util.Objects;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.springframework.amqp.AmqpRejectAndDontRequeueException;
import org.springframework.amqp.ImmediateAcknowledgeAmqpException;
import org.springframework.amqp.ImmediateRequeueAmqpException;

/** Reads from an exception what a listener asks of its container; the outermost wish counts. */
final class ExceptionChain {
  private static final int DEEPEST = 100;

  /** Their exceptions say where a listener failed, and name channels and handlers by hash codes. */
  private static final List<String> WRAPPERS =
      List.of(
          "org.springframework.amqp.",
          "org.springframework.messaging.",
          "org.springframework.integration.",
          "org.springframework.core.retry.",
          "org.springframework.retry.");

  private ExceptionChain() {}

  static boolean asksForRequeue(Throwable thrown) {
    return wish(thrown) instanceof ImmediateRequeueAmqpException;
  }

  static boolean asksForAcknowledgement(Throwable thrown) {
    return wish(thrown) instanceof ImmediateAcknowledgeAmqpException;
  }

  /** The exception that asks to defer the message; null if there is none. */
  static @Nullable DeferException asksForDeferring(Throwable thrown) {
    return (DeferException) first(thrown, DeferException.class::isInstance);
  }

  /** The listener's own exception, without Spring's wrappers. */
  static Throwable listeners(Throwable thrown) {
    Throwable cause = thrown;
    for (int depth = 0; depth < DEEPEST && cause.getCause() != null && wraps(cause); depth++) {
      cause = cause.getCause();
    }
    return cause;
  }

  /** By name: Spring 6 has not all of these packages. */
  private static boolean wraps(Throwable thrown) {
    String name = thrown.getClass().getName();
    return WRAPPERS.stream().anyMatch(name::startsWith);
  }

  /** The outermost of the exceptions that containers look for, else the given one. */
  private static Throwable wish(Throwable thrown) {
    return Objects.requireNonNullElse(
        first(
            thrown,
            cause ->
                cause instanceof ImmediateRequeueAmqpException
                    || cause instanceof ImmediateAcknowledgeAmqpException
                    || cause instanceof AmqpRejectAndDontRequeueException),
        thrown);
  }

  private static @Nullable Throwable first(Throwable thrown, Predicate<Throwable> wanted) {
    Throwable cause = thrown;
    for (int depth = 0; cause != null && depth < DEEPEST; depth++) {
      if (wanted.test(cause)) {
        return cause;
      }
      cause = cause.getCause();
    }
    return null;
  }
}
