// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.internal.plan;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.rabbitmq.client.AMQP.BasicProperties;
import com.rabbitmq.client.impl.LongStringHelper;
import java.io.IOException;
import java.math.BigDecimal;
import java.util.Date;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.junit.jupiter.api.Test;

class SizeCheckTest {
  @Property
  void is_never_below_the_encoding(
      @ForAll Map<String, String> texts, @ForAll List<String> list, @ForAll String type)
      throws IOException {
    Map<String, Object> headers = new HashMap<>(texts);
    headers.put("list", list);
    headers.put("long", Long.MAX_VALUE);
    headers.put("date", new Date(0));
    headers.put("double", 1.5);
    headers.put("flag", true);
    headers.put("text", LongStringHelper.asLongString(type));
    BasicProperties properties =
        new BasicProperties.Builder()
            .headers(headers)
            .type(type)
            .messageId("id")
            .deliveryMode(2)
            .priority(9)
            .timestamp(new Date())
            .build();
    long bound = SizeCheck.atMost(properties);
    if (bound < SizeCheck.UNKNOWN) {
      int size = properties.toFrame(0, 0).size();
      assertTrue(size <= bound, size + " > " + bound);
    }
  }

  @Test
  void what_might_not_be_encodable_is_left_to_the_encoder() {
    assertUnknown(new BasicProperties.Builder().type("x".repeat(86)).build());
    for (Object value : List.of(new BigDecimal("1e99"), new Object(), Map.of(), List.of(1))) {
      assertUnknown(new BasicProperties.Builder().headers(Map.of("h", value)).build());
    }
  }

  private static void assertUnknown(BasicProperties properties) {
    assertTrue(SizeCheck.atMost(properties) >= SizeCheck.UNKNOWN);
  }

  @Test
  void an_ordinary_message_is_bounded_far_below_a_frame() {
    BasicProperties properties =
        new BasicProperties.Builder().headers(Map.of("pocketwatch-id", "0".repeat(36))).build();
    assertEquals(64 + 43 + 16 + 108, SizeCheck.atMost(properties));
  }
}
