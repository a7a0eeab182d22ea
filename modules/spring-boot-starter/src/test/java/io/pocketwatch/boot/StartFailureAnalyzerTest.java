// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.boot;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.pocketwatch.store.IdConflictException;
import io.pocketwatch.store.MessageKey;
import io.pocketwatch.store.StoreException;
import io.pocketwatch.store.jdbc.JdbcDelayStore;
import java.time.Instant;
import java.util.Map;
import java.util.UUID;
import org.h2.jdbcx.JdbcDataSource;
import org.junit.jupiter.api.Test;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.core.env.MapPropertySource;
import org.springframework.core.env.StandardEnvironment;

/** What to do is said of what has happened. */
class StartFailureAnalyzerTest {
  private static final String ALWAYS = "initialize-schema: always";

  private final StandardEnvironment environment = new StandardEnvironment();

  @Test
  void missing_tables_can_be_made_at_the_start() {
    assertThat(action(missing("pocketwatch_"))).contains(ALWAYS);
    set("pocketwatch.store.initializeSchema", "never");
    assertThat(action(missing("pocketwatch_"))).contains(ALWAYS);
  }

  @Test
  void but_not_where_that_is_said_already() {
    set("pocketwatch.store.initialize-schema", "ALWAYS");
    assertThat(action(missing("pocketwatch_"))).doesNotContain(ALWAYS);
  }

  @Test
  void nor_is_it_a_remedy_for_other_tables_and_other_failures() {
    assertThat(action(missing("mine_"))).doesNotContain(ALWAYS);
    assertThat(action(new StoreException("the database could not be reached: no route")))
        .doesNotContain(ALWAYS);
  }

  /** As an ApplicationRunner may throw it: no key of the configuration would mend that. */
  @Test
  void what_is_wrong_with_one_message_is_no_failure_of_the_start() {
    FailureAnalysis analysis =
        new StartFailureAnalyzer(environment)
            .analyze(
                new RuntimeException(
                    "runner",
                    new IdConflictException(
                        new MessageKey("orders", "1"), Instant.EPOCH, "due later")));
    assertThat(analysis).isNull();
  }

  private void set(String key, String value) {
    environment.getPropertySources().addFirst(new MapPropertySource("file", Map.of(key, value)));
  }

  private String action(Throwable failure) {
    FailureAnalysis analysis = new StartFailureAnalyzer(environment).analyze(failure);
    assertThat(analysis).isNotNull();
    return analysis.getAction();
  }

  private static Throwable missing(String prefix) {
    JdbcDataSource empty = new JdbcDataSource();
    empty.setUrl("jdbc:h2:mem:" + UUID.randomUUID());
    return catchThrowable(() -> JdbcDelayStore.builder(empty).tablePrefix(prefix).build());
  }
}
