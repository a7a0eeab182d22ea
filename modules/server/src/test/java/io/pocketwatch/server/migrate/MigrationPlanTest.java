// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.server.migrate;

import static org.assertj.core.api.Assertions.assertThat;

import io.pocketwatch.server.migrate.MigrationPlan.Plugin;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class MigrationPlanTest {
  private static final ExchangeDefinition LEFT =
      new ExchangeDefinition(
          "/", "left", "direct", true, false, false, Map.of("alternate-exchange", "ae"), List.of());

  @Test
  void without_the_plugin_nothing_can_be_lost() {
    assertThat(plan(null).objection()).isEmpty();
  }

  /** Step 4 of the guide, after step 3 has come to 0. */
  @Test
  void the_only_node_holds_nothing() {
    assertThat(plan(new Plugin(OptionalLong.of(0), true)).objection()).isEmpty();
  }

  @ParameterizedTest
  @CsvSource({
    "1, true, This node holds 1 message in it.",
    "0, false, 'This node holds 0 messages in it. Other nodes count for themselves: ask each'",
    ", true, This node does not say how many messages it holds in it."
  })
  void what_may_be_lost_needs_a_yes(@Nullable Long held, boolean onlyNode, String words) {
    OptionalLong known = held == null ? OptionalLong.empty() : OptionalLong.of(held);

    assertThat(plan(new Plugin(known, onlyNode)).objection())
        .hasValueSatisfying(
            each ->
                assertThat(each).contains(words, "'left' is lost with the old exchange", "--yes"));
  }

  @Test
  void it_shows_the_entry_of_a_definitions_file() {
    assertThat(plan(null).words())
        .contains(
            "  {\"name\":\"left\",\"vhost\":\"/\",\"type\":\"direct\",\"durable\":true,"
                + "\"auto_delete\":false,\"internal\":false,"
                + "\"arguments\":{\"alternate-exchange\":\"ae\"}}");
  }

  private static MigrationPlan plan(@Nullable Plugin plugin) {
    return new MigrationPlan(LEFT, new DefinitionFile(Path.of("left.json")), false, plugin);
  }
}
