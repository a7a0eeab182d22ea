// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.guard;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.pocketwatch.DelayedMessage;
import io.pocketwatch.InvalidMessageException;
import io.pocketwatch.config.DelayRoute;
import io.pocketwatch.config.DelayRoutes;
import io.pocketwatch.config.LoaderOptions;
import io.pocketwatch.config.PublisherOptions;
import io.pocketwatch.config.TemporaryQueueOptions;
import io.pocketwatch.config.WheelOptions;
import io.pocketwatch.internal.plan.DelayPlanner;
import io.pocketwatch.internal.topology.BrokerCapabilities;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** No duration and no instant ends in a bare overflow, wherever it enters. */
class DurationsOutOfRangeTest {
  private static final List<Duration> BEYOND_ALL =
      List.of(
          Duration.ofSeconds(Long.MAX_VALUE),
          Duration.ofMillis(Long.MAX_VALUE),
          Duration.ofDays(36_501),
          Duration.ofMillis(-1),
          Duration.ofMillis(Long.MIN_VALUE),
          Duration.ofSeconds(Long.MIN_VALUE));

  /** Every method of a builder of options that takes durations. */
  static Stream<Method> options() {
    List<Class<?>> builders =
        List.of(
            DelayRoute.Builder.class,
            GuardOptions.Builder.class,
            LoaderOptions.Builder.class,
            PublisherOptions.Builder.class,
            TemporaryQueueOptions.Builder.class,
            WheelOptions.Builder.class);
    return builders.stream()
        .flatMap(each -> Stream.of(each.getMethods()))
        .filter(each -> takesOne(each));
  }

  private static boolean takesOne(Method method) {
    List<Class<?>> types = List.of(method.getParameterTypes());
    return types.equals(List.of(Duration.class)) || types.equals(List.of(Duration[].class));
  }

  @Test
  void the_builders_have_as_many_options() {
    assertThat(options()).hasSizeGreaterThanOrEqualTo(20);
  }

  @ParameterizedTest
  @MethodSource("options")
  void an_option_names_its_range(Method option) {
    for (Duration each : BEYOND_ALL) {
      assertThatExceptionOfType(IllegalArgumentException.class)
          .as("%s %s", option, each)
          .isThrownBy(() -> built(option, each))
          .withMessageMatching("(?s)[a-z-]+ \\S+ is out of range; allowed: \\S+ to \\S+");
    }
  }

  /** Otherwise the text would contradict itself. */
  @Test
  void a_part_of_a_millisecond_too_much_is_shown() {
    assertThatExceptionOfType(IllegalArgumentException.class)
        .isThrownBy(() -> LoaderOptions.builder().lead(Duration.ofDays(1).plusNanos(1)).build())
        .withMessage("lead PT24H0.000000001S is out of range; allowed: 0s to 1d");
  }

  @Test
  void a_message_is_refused_with_the_latest_instant_or_sent_at_once() {
    for (Duration each : BEYOND_ALL) {
      DelayedMessage message = DelayedMessage.toQueue("mail").delay(each);
      if (each.isNegative()) {
        accept(message);
      } else if (each.compareTo(Duration.ofDays(4_000_000)) > 0) {
        assertRefused(message);
      }
    }
    accept(DelayedMessage.toQueue("mail").deliverAt(Instant.MIN));
    assertRefused(DelayedMessage.toQueue("mail").deliverAt(Instant.MAX));
    for (long each : new long[] {Long.MAX_VALUE, Long.MAX_VALUE - 1}) {
      assertRefused(DelayedMessage.toQueue("mail").deliverAt(Instant.ofEpochMilli(each)));
      assertRefused(DelayedMessage.toQueue("mail").header("x-opt-delivery-time", each));
    }
  }

  private static void assertRefused(DelayedMessage message) {
    assertThatExceptionOfType(InvalidMessageException.class)
        .isThrownBy(() -> accept(message))
        .withMessageContaining("the latest allowed: 9999-12-31T23:59:59.999Z");
  }

  private static void accept(DelayedMessage message) {
    DelayPlanner planner =
        new DelayPlanner(DelayRoutes.none(), BrokerCapabilities.unknown("guest"));
    assertThat(planner.accept(message, Instant.parse("2026-03-01T10:15:30Z"))).isNotNull();
  }

  private static void built(Method option, Duration value) throws Exception {
    try {
      Object builder = builder(option.getDeclaringClass());
      Object argument =
          option.getParameterTypes()[0].isArray() ? new Duration[] {value} : (Object) value;
      option.invoke(builder, argument);
      builder.getClass().getMethod("build").invoke(builder);
    } catch (InvocationTargetException e) {
      throw e.getCause() instanceof RuntimeException cause ? cause : e;
    }
  }

  private static Object builder(Class<?> type) throws ReflectiveOperationException {
    return type == DelayRoute.Builder.class
        ? DelayRoute.builder("mail").routingKey("mail")
        : type.getDeclaringClass().getMethod("builder").invoke(null);
  }
}
