// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.spring.listener;

import static org.assertj.core.api.Assertions.assertThat;

import io.pocketwatch.guard.GuardOptions;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import org.aopalliance.aop.Advice;
import org.aopalliance.intercept.MethodInterceptor;
import org.aopalliance.intercept.MethodInvocation;
import org.junit.jupiter.api.Test;
import org.springframework.amqp.rabbit.config.RetryInterceptorBuilder;
import org.springframework.amqp.rabbit.config.SimpleRabbitListenerContainerFactory;
import org.springframework.amqp.rabbit.connection.CachingConnectionFactory;
import org.springframework.amqp.rabbit.core.RabbitTemplate;
import org.springframework.amqp.rabbit.listener.SimpleMessageListenerContainer;
import org.springframework.aop.MethodBeforeAdvice;
import org.springframework.aop.framework.ProxyFactory;

/** Which advices a container gets, and that each attempt passes through all of them. */
class ChainTest {
  private final ListenerGuardPostProcessor guarding =
      new ListenerGuardPostProcessor(
          () -> null,
          () -> {
            throw new AssertionError("no container is started");
          },
          () -> null,
          GuardOptions::defaults);

  private static MethodInterceptor named(String name) {
    return new MethodInterceptor() {
      @Override
      public Object invoke(MethodInvocation invocation) throws Throwable {
        return invocation.proceed();
      }

      @Override
      public String toString() {
        return name;
      }
    };
  }

  private static List<String> names(Advice[] chain) {
    List<String> names = new ArrayList<>();
    for (Advice advice : chain) {
      names.add(
          advice instanceof GuardAdvice || advice instanceof AttemptAdvice
              ? advice.getClass().getSimpleName()
              : advice.toString());
    }
    return names;
  }

  private SimpleRabbitListenerContainerFactory guarded(Advice... chain) {
    SimpleRabbitListenerContainerFactory factory = new SimpleRabbitListenerContainerFactory();
    factory.setConnectionFactory(new CachingConnectionFactory());
    factory.setAdviceChain(chain);
    guarding.postProcessAfterInitialization(factory, "factory");
    guarding.postProcessAfterInitialization(factory, "factory");
    return factory;
  }

  @Test
  void ours_stand_before_and_behind_the_users_however_often_they_are_added() {
    SimpleMessageListenerContainer container =
        guarded(named("retry"), named("tracing")).createListenerContainer();

    assertThat(names(ContainerSettings.adviceChain(container)))
        .containsExactly("GuardAdvice", "retry", "tracing", "AttemptAdvice");
  }

  @Test
  void a_container_made_by_a_guarded_factory_is_guarded_once_as_a_bean_too() {
    SimpleMessageListenerContainer container = guarded().createListenerContainer();
    guarding.postProcessBeforeInitialization(container, "container");

    assertThat(names(ContainerSettings.adviceChain(container)))
        .containsExactly("GuardAdvice", "AttemptAdvice");
  }

  @Test
  void a_container_of_replies_is_left_alone() {
    SimpleMessageListenerContainer container = new SimpleMessageListenerContainer();
    container.setMessageListener(new RabbitTemplate());
    guarding.postProcessBeforeInitialization(container, "container");

    assertThat(ContainerSettings.adviceChain(container)).isEmpty();
  }

  @Test
  void only_retries_of_spring_amqp_are_changed() {
    Advice tracing = named("tracing");
    assertThat(RepeatableRetry.of(tracing)).isSameAs(tracing);
    assertThat(RepeatableRetry.of(RetryInterceptorBuilder.stateless().build()))
        .isInstanceOf(RepeatableRetry.class);
    assertThat(RepeatableRetry.of(RetryInterceptorBuilder.stateful().build()))
        .isInstanceOf(RepeatableRetry.class);
  }

  @Test
  void every_attempt_of_an_advice_reaches_those_behind_it() {
    List<String> seen = new ArrayList<>();
    MethodInterceptor thrice =
        invocation -> {
          invocation.proceed();
          invocation.proceed();
          return invocation.proceed();
        };
    ProxyFactory factory = new ProxyFactory();
    factory.addAdvice(new RepeatableRetry(thrice));
    factory.addAdvice((MethodBeforeAdvice) (method, arguments, target) -> seen.add("before"));
    factory.addAdvice(new RepeatableRetry(named("between")));
    factory.addAdvice(
        (MethodInterceptor)
            invocation -> {
              seen.add("behind");
              return invocation.proceed();
            });
    factory.addInterface(Function.class);
    factory.setTarget((Function<Object, Object>) argument -> seen.add("target"));

    ((Function<?, ?>) factory.getProxy()).apply(null);

    assertThat(seen)
        .containsExactly(
            "before", "behind", "target", "before", "behind", "target", "before", "behind",
            "target");
  }
}
