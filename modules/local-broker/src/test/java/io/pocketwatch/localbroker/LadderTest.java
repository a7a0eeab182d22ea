// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.localbroker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.net.URI;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

class LadderTest {

  private static final BrokerNode NODE =
      new AddressNode(URI.create("amqp://guest:secret@nowhere:1"), "4.3.6");

  private final LocalBrokerOptions options = LocalBrokerOptions.defaults();
  private final List<String> heard = new ArrayList<>();
  private final List<BrokerSource> asked = new ArrayList<>();

  /** Refuses, unless it is the one that can. */
  private final class FakeRung implements Rung {

    private final BrokerSource source;
    private final boolean able;
    private final boolean lacksPlugin;

    FakeRung(BrokerSource source, boolean able, boolean lacksPlugin) {
      this.source = source;
      this.able = able;
      this.lacksPlugin = lacksPlugin;
    }

    @Override
    public BrokerSource source() {
      return source;
    }

    @Override
    public BrokerNode find(LocalBrokerOptions wanted, Consumer<String> listener)
        throws RungRefusedException {
      asked.add(source);
      if (able) {
        return NODE;
      }
      String why = "no " + source.label() + " here";
      throw lacksPlugin
          ? RungRefusedException.pluginMissing(why, "add it")
          : new RungRefusedException(why, "fix " + source.label());
    }
  }

  private FakeRung refusing(BrokerSource source) {
    return new FakeRung(source, false, false);
  }

  private BrokerNode climb(LocalBrokerOptions wanted, Rung... rungs) {
    return new Ladder<>(List.of(rungs))
        .climb(wanted, heard::add, rung -> rung.find(wanted, heard::add));
  }

  @Test
  void the_first_that_can_answers() {
    BrokerNode found =
        climb(
            options,
            refusing(BrokerSource.ADDRESS),
            new FakeRung(BrokerSource.DOCKER, true, false),
            refusing(BrokerSource.INSTALLED));
    assertThat(found).isSameAs(NODE);
    assertThat(asked).containsExactly(BrokerSource.ADDRESS, BrokerSource.DOCKER);
    assertThat(heard).containsExactly("no address here");
  }

  @Test
  void sources_that_are_not_allowed_are_not_asked() {
    climb(
        options.withSources(EnumSet.of(BrokerSource.INSTALLED)),
        refusing(BrokerSource.ADDRESS),
        new FakeRung(BrokerSource.INSTALLED, true, false));
    assertThat(asked).containsExactly(BrokerSource.INSTALLED);
  }

  @Test
  void only_packages_give_a_node_whose_clock_can_be_set() {
    climb(
        options.withSettableClock(true),
        new FakeRung(BrokerSource.INSTALLED, true, false),
        new FakeRung(BrokerSource.PACKAGES, true, false));
    assertThat(asked).containsExactly(BrokerSource.PACKAGES);
  }

  @Test
  void the_error_tells_rung_by_rung_why_and_what_to_do() {
    assertThatExceptionOfType(BrokerUnavailableException.class)
        .isThrownBy(
            () ->
                climb(
                    options.withVersion("4.3").withControllable(true),
                    refusing(BrokerSource.ADDRESS),
                    refusing(BrokerSource.DOCKER)))
        .withMessageContaining("RabbitMQ 4.3, one that may be stopped and killed")
        .withMessageContaining("1. address: no address here\n       fix address")
        .withMessageContaining("2. Docker: no Docker here\n       fix Docker")
        .satisfies(e -> assertThat(e.pluginMissing()).isFalse());
  }

  @Test
  void a_missing_plugin_is_told() {
    assertThatExceptionOfType(BrokerUnavailableException.class)
        .isThrownBy(
            () ->
                climb(
                    options,
                    refusing(BrokerSource.ADDRESS),
                    new FakeRung(BrokerSource.INSTALLED, false, true)))
        .satisfies(e -> assertThat(e.pluginMissing()).isTrue());
  }

  @Test
  void a_version_has_a_variable_of_its_own() {
    AddressRung rung =
        new AddressRung(new Environment(Map.of("POCKETWATCH_BROKER", "amqp://nowhere:1")));
    assertThatExceptionOfType(BrokerUnavailableException.class)
        .isThrownBy(() -> climb(options.withVersion("4.3"), rung))
        .withMessageContaining("No POCKETWATCH_BROKER_4_3 is set");
  }

  @Test
  void an_address_is_not_used_for_a_broker_that_will_be_killed() {
    AddressRung rung =
        new AddressRung(new Environment(Map.of("POCKETWATCH_BROKER", "amqp://nowhere:1")));
    assertThatExceptionOfType(BrokerUnavailableException.class)
        .isThrownBy(() -> climb(options.withControllable(true), rung))
        .withMessageContaining("has to be stopped and killed");
  }

  @Test
  void a_bad_address_ends_the_search_without_showing_it() {
    AddressRung rung =
        new AddressRung(
            new Environment(Map.of("POCKETWATCH_BROKER", "http://user:secret@nowhere")));
    assertThatExceptionOfType(BrokerUnavailableException.class)
        .isThrownBy(() -> climb(options, rung, new FakeRung(BrokerSource.DOCKER, true, false)))
        .withMessageContaining("POCKETWATCH_BROKER is not an AMQP address")
        .withMessageNotContaining("secret");
    assertThat(asked).isEmpty();
  }

  @Test
  void passwords_are_masked() {
    assertThat(NODE).hasToString("RabbitMQ 4.3.6 at amqp://guest:***@nowhere:1");
  }

  @Test
  void an_address_cannot_be_controlled() {
    assertThatExceptionOfType(UnsupportedOperationException.class)
        .isThrownBy(NODE::kill)
        .withMessageContaining("cannot be killed")
        .withMessageContaining("***");
  }
}
