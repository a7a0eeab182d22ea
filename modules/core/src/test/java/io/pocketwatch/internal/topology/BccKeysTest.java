// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.internal.topology;

import static java.time.Duration.ofMinutes;
import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;

import io.pocketwatch.internal.topology.Destination.Way;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Assume;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import org.junit.jupiter.api.Test;

class BccKeysTest {
  private static final Pattern WORD = Pattern.compile("[A-Za-z0-9_~-]*");
  private static final int MAX_ENCODED = 180;

  @Test
  void plain_names_stay_readable() {
    assertThat(BccKeys.encode("Orders_2026-v1")).isEqualTo("Orders_2026-v1");
  }

  @Test
  void every_other_byte_is_escaped() {
    assertThat(BccKeys.encode("a.b c")).isEqualTo("a~2eb~20c");
    assertThat(BccKeys.encode("~*#")).isEqualTo("~7e~2a~23");
    assertThat(BccKeys.encode("é€😀")).isEqualTo("~c3~a9~e2~82~ac~f0~9f~98~80");
    assertThat(BccKeys.encode("")).isEmpty();
  }

  @Test
  void long_names_become_a_digest() {
    assertThat(BccKeys.encode("a".repeat(MAX_ENCODED))).isEqualTo("a".repeat(MAX_ENCODED));
    assertThat(BccKeys.encode("a".repeat(MAX_ENCODED + 1)))
        .matches("~h[0-9a-f]{64}")
        .isNotEqualTo(BccKeys.encode("a".repeat(MAX_ENCODED + 2)));
    assertThat(BccKeys.encode(".".repeat(61))).matches("~h[0-9a-f]{64}");
  }

  @Property
  void an_encoded_name_is_one_bounded_word(@ForAll("names") String name) {
    assertThat(BccKeys.encode(name)).matches(WORD).hasSizeLessThanOrEqualTo(MAX_ENCODED);
  }

  @Property
  void different_names_are_encoded_differently(
      @ForAll("names") String one, @ForAll("names") String two) {
    Assume.that(!one.equals(two));
    assertThat(BccKeys.encode(one)).isNotEqualTo(BccKeys.encode(two));
  }

  @Property
  void a_name_is_not_encoded_like_the_encoding_of_another(@ForAll("names") String name) {
    String encoded = BccKeys.encode(name);
    Assume.that(!encoded.equals(name));
    assertThat(BccKeys.encode(encoded)).isNotEqualTo(encoded);
  }

  @Property
  void every_key_is_one_reserved_word_within_a_short_string(@ForAll("names") String name) {
    Destination exchange = Destination.of("x" + name, "key", Way.SHARED);
    Destination queue = Destination.of("", name, Way.SHARED);
    List<String> keys =
        Stream.of(exchange, queue)
            .flatMap(d -> Stream.of(BccKeys.to(d), BccKeys.out(d), BccKeys.via(d)))
            .toList();
    assertThat(keys).allSatisfy(BccKeysTest::requireKey).doesNotHaveDuplicates();
    requireKey(BccKeys.temporary(name));
    requireKey(BccKeys.probe(name));
  }

  @Test
  void hand_and_ttl_keys_are_reserved_words_too() {
    assertThat(BccKeys.hand(ofMinutes(1), 59))
        .isEqualTo("pw-1m-59")
        .satisfies(BccKeysTest::requireKey);
    assertThat(BccKeys.ttl(ofSeconds(90)))
        .isEqualTo("pw-ttl-90000")
        .satisfies(BccKeysTest::requireKey);
  }

  @Test
  void an_exchange_and_a_queue_of_one_name_are_different_destinations() {
    Destination exchange = Destination.of("mail", "any", Way.OUT_QUEUE);
    Destination queue = Destination.of("", "mail", Way.OUT_QUEUE);

    assertThat(exchange.steeringKeys()).containsExactly("pw-out-mail", "pw-via-mail");
    assertThat(queue.steeringKeys()).containsExactly("pw-out-~qmail", "pw-queues-via");
    assertThat(Destination.of("queues", "any", Way.OUT_QUEUE).steeringKeys())
        .as("of an exchange named like our keys for queues")
        .doesNotContainAnyElementsOf(queue.steeringKeys());
  }

  @Provide
  Arbitrary<String> names() {
    Arbitrary<String> anything =
        Arbitraries.strings().all().ofMaxLength(85).filter(BccKeysTest::isEncodable);
    Arbitrary<String> tricky = Arbitraries.strings().withChars("~.hq2e- aé").ofMaxLength(255);
    return Arbitraries.oneOf(anything, tricky);
  }

  /** A lone surrogate has no bytes in UTF-8, so no broker can have such a name. */
  private static boolean isEncodable(String text) {
    return StandardCharsets.UTF_8.newEncoder().canEncode(text);
  }

  private static void requireKey(String key) {
    assertThat(key).startsWith(BccKeys.RESERVED).matches(WORD).hasSizeLessThanOrEqualTo(255);
  }
}
