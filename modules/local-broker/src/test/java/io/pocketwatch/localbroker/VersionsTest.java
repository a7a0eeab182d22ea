// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.localbroker;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class VersionsTest {

  @ParameterizedTest
  @CsvSource({
    "4.3.6, 4.3, true",
    "4.3.6, 4, true",
    "4.3.6, 4.3.6, true",
    "4.30.1, 4.3, false",
    "3.10.8, 4.3, false",
    "4.3.6, 4.3.60, false",
    "4.0.5-rc.1, 4.0, true",
  })
  void comparesWholeNumbers(String version, String wanted, boolean fits) {
    assertThat(Versions.fits(version, wanted)).isEqualTo(fits);
  }

  @Test
  void every_version_fits_no_wish() {
    assertThat(Versions.fits("3.8.2", null)).isTrue();
  }

  @ParameterizedTest
  @CsvSource({"4, 4", "4.3, 4_3", "4.3.6, 4_3", "3.10, 3_10"})
  void namesVariablesByMajorAndMinor(String version, String suffix) {
    assertThat(Versions.variableSuffix(version)).isEqualTo(suffix);
  }

  @ParameterizedTest
  @CsvSource({
    "4.3, FORKY",
    "4.3.6, FORKY",
    "4, FORKY",
    "4.0, TRIXIE",
    "3.10.8, BOOKWORM",
    "3, BOOKWORM",
  })
  void knowsWhichDebianHoldsAVersion(String wanted, DebianSuite suite) {
    assertThat(DebianSuite.holding(wanted)).contains(suite);
  }

  @Test
  void no_debian_holds_anything_else() {
    assertThat(DebianSuite.holding("4.1")).isEmpty();
    assertThat(DebianSuite.holding("5")).isEmpty();
  }
}
