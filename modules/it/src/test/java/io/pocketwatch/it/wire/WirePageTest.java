// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.it.wire;

import static org.assertj.core.api.Assertions.assertThat;

import io.pocketwatch.Headers;
import io.pocketwatch.config.DelayRoute;
import io.pocketwatch.config.DelayRoutes;
import io.pocketwatch.internal.topology.BrokerCapabilities;
import io.pocketwatch.internal.topology.ExchangeSpec;
import io.pocketwatch.internal.topology.Topology;
import io.pocketwatch.internal.topology.Wheel;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * {@code modules/docs/reference/wire-format.md} leads to the programs that are run, and names what
 * is declared.
 */
class WirePageTest {
  private static final Path PAGE = Path.of("..", "docs", "reference", "wire-format.md");

  @ParameterizedTest
  @EnumSource
  void it_leads_to_the_programs_that_are_run(Language language) throws IOException {
    Path folder = PAGE.toAbsolutePath().normalize().getParent();
    Path program = folder.relativize(language.source());

    assertThat(page()).contains("](" + program + ")");
  }

  @Test
  void the_hands_are_those_of_the_wheel() throws IOException {
    String page = page();
    List<Wheel.Hand> hands = new Wheel(DelayRoutes.none().hold().wheel()).hands();
    assertThat(hands).hasSize(5);
    assertThat(hands)
        .allSatisfy(
            hand -> {
              String unit = hand.key(0).split("-")[1];
              assertThat(page)
                  .containsPattern(
                      String.format(
                          Locale.ROOT,
                          "(?m)^\\| .*\\| `pocketwatch\\.wheel\\.quorum\\.%s` \\| %,d ms \\| 0 to %s \\|$",
                          unit,
                          hand.unit().toMillis(),
                          hand.positions()));
            });
  }

  @Test
  void every_exchange_of_ours_it_names_is_declared() throws IOException {
    DelayRoute delays = DelayRoute.defaults().toBuilder().delays(Duration.ofMinutes(30)).build();
    DelayRoutes routes = DelayRoutes.builder().defaults(delays).build();
    List<String> declared =
        Stream.of("4.3.6", "4.1.0")
            .map(version -> new BrokerCapabilities(version, false, true, 0, "guest"))
            .flatMap(broker -> Topology.of(routes, broker).exchanges().stream())
            .map(ExchangeSpec::name)
            .toList();

    List<String> named =
        Pattern.compile("`(pocketwatch\\.[a-z0-9.-]+)(?=[`.…])")
            .matcher(page())
            .results()
            .map(found -> found.group(1).replaceFirst("\\.$", ".1d"))
            .distinct()
            .toList();

    assertThat(named).hasSizeGreaterThan(8).isSubsetOf(declared);
  }

  @Test
  void every_header_of_ours_is_there() throws Exception {
    String page = page();
    for (var field : Headers.class.getFields()) {
      String header = (String) field.get(null);
      assertThat(page).contains(header.equals(Headers.PREFIX) ? header : "-" + suffix(header));
    }
  }

  private static String suffix(String header) {
    return header.substring(Headers.PREFIX.length());
  }

  private static String page() throws IOException {
    return Files.readString(PAGE);
  }
}
