// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.internal.rows;

import static org.assertj.core.api.Assertions.assertThat;

import com.rabbitmq.client.AMQP.BasicProperties;
import com.rabbitmq.client.impl.LongStringHelper;
import io.pocketwatch.Headers;
import io.pocketwatch.store.MessageKey;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class RowReferenceTest {
  private static final Map<String, Object> COMPLETE =
      Map.of(
          Headers.ID,
          LongStringHelper.asLongString("o-1"),
          Headers.ROUTE,
          LongStringHelper.asLongString("orders"),
          Headers.GENERATION,
          2);

  @Test
  void reads_the_row_as_it_arrives() {
    assertThat(RowReference.of(properties(COMPLETE)))
        .isEqualTo(new RowReference(new MessageKey("orders", "o-1"), 2));
  }

  @Test
  void there_is_no_row_unless_all_of_it_is_there() {
    for (String missing : List.of(Headers.ID, Headers.ROUTE)) {
      Map<String, Object> headers = new HashMap<>(COMPLETE);
      headers.remove(missing);
      assertThat(RowReference.of(properties(headers))).as("without %s", missing).isNull();
    }
    assertThat(RowReference.of(new BasicProperties())).isNull();
    assertThat(RowReference.of(properties(with(Headers.GENERATION, "two")))).isNull();
  }

  @Test
  void the_first_generation_does_not_say_its_number() {
    Map<String, Object> headers = new HashMap<>(COMPLETE);
    headers.remove(Headers.GENERATION);

    assertThat(RowReference.of(properties(headers)))
        .isEqualTo(new RowReference(new MessageKey("orders", "o-1"), 1));
  }

  @Test
  void the_message_id_is_its_id_where_no_header_is() {
    Map<String, Object> headers = new HashMap<>(COMPLETE);
    headers.remove(Headers.ID);

    assertThat(RowReference.of(properties(headers).builder().messageId("o-2").build()))
        .isEqualTo(new RowReference(new MessageKey("orders", "o-2"), 2));
  }

  @Test
  void there_is_no_row_of_a_name_that_is_longer_than_any() {
    for (String header : List.of(Headers.ID, Headers.ROUTE)) {
      assertThat(RowReference.of(properties(with(header, "x".repeat(256))))).as(header).isNull();
    }
  }

  private static Map<String, Object> with(String header, Object value) {
    Map<String, Object> headers = new HashMap<>(COMPLETE);
    headers.put(header, value);
    return headers;
  }

  private static BasicProperties properties(Map<String, Object> headers) {
    return new BasicProperties.Builder().headers(headers).build();
  }

  @Test
  void an_id_of_somebody_elses_forges_no_line_of_a_log() {
    assertThat(new MessageKey("orders", "a\r\n\u001b[31m"))
        .hasToString("orders/a\\u000d\\u000a\\u001b[31m");
    assertThat(new MessageKey("orders", "ä 中")).hasToString("orders/ä 中");
  }
}
