// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.server.broker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.rabbitmq.client.Address;
import java.net.URI;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class BrokerAddressesTest {

  @Test
  void one_is_left_to_its_host_name() {
    BrokerAddresses one = BrokerAddresses.parse("amqp://me:secret@host/shop");

    assertThat(one.uris()).containsExactly(URI.create("amqp://me:secret@host/shop"));
    assertThat(one.nodes()).isEmpty();
    assertThat(one.several()).isFalse();
  }

  @Test
  void several_are_the_nodes_of_one_broker() {
    BrokerAddresses three =
        BrokerAddresses.parse(
            " amqp://me:a,b@one,amqp://me:a,b@two:5673,amqp://me:a,b@[::1]:5674 ");

    assertThat(three.first().getHost()).isEqualTo("one");
    assertThat(three.nodes())
        .containsExactly(
            new Address("one", 5672), new Address("two", 5673), new Address("[::1]", 5674));
  }

  @Test
  void the_port_follows_the_scheme() {
    assertThat(BrokerAddresses.parse("amqps://one,amqps://two").nodes())
        .extracting(Address::getPort)
        .containsOnly(5671);
  }

  @Test
  void a_slash_at_the_end_is_no_vhost() {
    BrokerAddresses both = BrokerAddresses.parse("amqp://me:a@one:5672/,amqp://me:a@two:5672");

    assertThat(both.first()).hasToString("amqp://me:a@one:5672");
    assertThat(BrokerAddresses.parse("amqp://one/%2F").first()).hasPath("//");
  }

  @Test
  void what_is_wrong_with_a_vhost_or_a_port_is_told() {
    assertThatThrownBy(() -> BrokerAddresses.parse("amqp://me:secret@one:5672//"))
        .hasMessageContaining("is written %2F")
        .hasMessageNotContaining("secret");
    assertThatThrownBy(() -> BrokerAddresses.parse("amqp://one:99999"))
        .hasMessageEndingWith("the port is 99999, allowed: 1 to 65535");
  }

  @Test
  void the_environment_may_name_them() {
    assertThat(BrokerAddresses.named(Map.of())).isEmpty();
    assertThat(BrokerAddresses.named(Map.of("POCKETWATCH_BROKER", " "))).isEmpty();
    assertThat(BrokerAddresses.named(Map.of("POCKETWATCH_BROKER", "amqp://a,amqp://b")))
        .hasValueSatisfying(named -> assertThat(named.uris()).hasSize(2));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "http://me:secret@host",
        "secret",
        "me:secret@host",
        "amqp://me:secret@ho st",
        "amqp://me:secret@one,http://me:secret@two",
        "amqp://me:secret@one,two",
      })
  void anything_else_is_refused_without_repeating_it(String text) {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> BrokerAddresses.parse(text))
        .withMessageContaining("is not an AMQP address such as")
        .withMessageNotContaining("secret")
        .withNoCause();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "amqp://me:secret@one,amqp://you:secret@two",
        "amqp://me:secret@one,amqp://me:secret2@two",
        "amqp://me:secret@one/a,amqp://me:secret@two/b",
        "amqp://me:secret@one,amqps://me:secret@two",
      })
  void addresses_of_different_brokers_are_refused(String text) {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> BrokerAddresses.parse(text))
        .withMessageContaining("not nodes of one broker")
        .withMessageNotContaining("secret");
  }

  @Test
  void a_password_is_not_shown() {
    assertThat(BrokerAddresses.parse("amqp://me:secret@host").toString()).doesNotContain("secret");
  }
}
