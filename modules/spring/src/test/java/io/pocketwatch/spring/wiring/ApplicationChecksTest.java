// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.spring.wiring;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
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
                beans, loader, List.of(), List.of(Stranger.class.getName())))
        .singleElement()
        .asString()
        .contains("'orders'", "Stranger", "RabbitTemplate", "@RabbitListener");
  }

  @Test
  void a_binder_is_warned_of_where_it_is_on_the_class_path() {
    assertThat(
            ApplicationChecks.notCovered(
                beans, loader, List.of(Stranger.class.getName()), List.of()))
        .singleElement()
        .asString()
        .contains("Spring Cloud Stream");
  }

  @Test
  void an_application_without_them_is_told_nothing() {
    List<String> kinds = List.of("com.example.Absent");
    assertThat(ApplicationChecks.notCovered(beans, loader, kinds, kinds)).isEmpty();
  }
}
