// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.spring.wiring;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.support.StaticListableBeanFactory;

/** With stand-ins for kinds of other libraries, which are not on this class path. */
class ApplicationChecksTest {
  private final ClassLoader loader = ApplicationChecksTest.class.getClassLoader();
  private final StaticListableBeanFactory beans = new StaticListableBeanFactory();

  /** In place of a template of AMQP 1.0. */
  static final class Stranger {}

  @Test
  void a_bean_of_such_a_kind_is_named_with_what_to_use() {
    beans.addBean("orders", new Stranger());
    assertThat(
            ApplicationChecks.notCovered(
                beans, loader, Map.of(), List.of(Stranger.class.getName())))
        .singleElement()
        .asString()
        .contains("'orders'", "Stranger", "RabbitTemplate", "@RabbitListener");
  }

  @Test
  void a_framework_is_warned_of_where_it_is_on_the_class_path() {
    assertThat(
            ApplicationChecks.notCovered(
                beans, loader, Map.of(Stranger.class.getName(), "The Stranger"), List.of()))
        .singleElement()
        .asString()
        .contains("The Stranger", "RabbitTemplate", "@RabbitListener");
  }

  @Test
  void an_application_without_them_is_told_nothing() {
    String absent = "com.example.Absent";
    assertThat(
            ApplicationChecks.notCovered(beans, loader, Map.of(absent, "Absent"), List.of(absent)))
        .isEmpty();
  }
}
