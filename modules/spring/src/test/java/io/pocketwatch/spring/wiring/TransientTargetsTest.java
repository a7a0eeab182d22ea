// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.spring.wiring;

import static org.assertj.core.api.Assertions.assertThat;

import io.pocketwatch.DelayedPublisher;
import java.lang.reflect.Proxy;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import org.junit.jupiter.api.Test;
import org.springframework.amqp.core.QueueBuilder;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;

/** An application that closes before the queue that it has declared is bound. */
class TransientTargetsTest {
  private final Queue<Runnable> later = new ArrayDeque<>();

  /** What was called on each publisher that was made. */
  private final List<List<String>> publishers = new ArrayList<>();

  @Test
  void a_closed_context_makes_no_other_publisher() {
    AnnotationConfigApplicationContext context = new AnnotationConfigApplicationContext();
    context.registerBean(DelayedPublisher.class, this::publisher);
    context.registerBean(
        TransientTargets.class,
        () ->
            new TransientTargets(
                context.getBeanFactory().getBeanProvider(DelayedPublisher.class)::getObject,
                pause -> later::add));
    context.refresh();
    declare(context.getBean(TransientTargets.class));
    context.close();
    runAll();

    assertThat(publishers).containsExactly(List.of("close"));
  }

  private DelayedPublisher publisher() {
    List<String> calls = new ArrayList<>();
    publishers.add(calls);
    return (DelayedPublisher)
        Proxy.newProxyInstance(
            getClass().getClassLoader(),
            new Class<?>[] {DelayedPublisher.class},
            (proxy, method, arguments) -> {
              calls.add(method.getName());
              if (method.getReturnType() != void.class) {
                throw new UnsupportedOperationException(method.getName());
              }
              return null;
            });
  }

  private static void declare(TransientTargets targets) {
    targets.apply(QueueBuilder.nonDurable("away").autoDelete().build());
  }

  private void runAll() {
    assertThat(later).isNotEmpty();
    for (Runnable next = later.poll(); next != null; next = later.poll()) {
      next.run();
    }
  }
}
