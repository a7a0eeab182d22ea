// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.lab.faults.process;

import static org.assertj.core.api.Assertions.assertThat;

import io.pocketwatch.lab.faults.account.Messages;
import io.pocketwatch.lab.faults.account.Messages.Span;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class OrderTest {
  @TempDir private Path folder;

  @Test
  void a_round_replaces_what_was_ordered_before_and_more_is_added() throws IOException {
    Path orders = folder.resolve("orders");
    Order.round(orders, messages("a-"));
    Order.round(orders, messages("b-"));
    Order.clock(orders, Duration.ofHours(1));
    Order.more(orders, messages("c-"));
    List<String> lines = Files.readAllLines(orders);

    Order.Publishing all = Order.publishing(lines);
    assertThat(all.alone()).isTrue();
    assertThat(all.messages()).extracting(Messages::prefix).containsExactly("b-", "c-");

    Order.Publishing last = Order.publishing(lines.subList(3, 4));
    assertThat(last.alone()).isFalse();
    assertThat(last.messages()).containsExactly(messages("c-"));
  }

  private static Messages messages(String prefix) {
    Span span = Span.oneOfMany(Duration.ofSeconds(60), Duration.ofSeconds(30));
    return new Messages(prefix, 4, 1_200, Instant.parse("2026-01-01T00:00:00Z"), span);
  }
}
