// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.server.store;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariConfig;
import java.sql.DriverManager;
import java.sql.DriverPropertyInfo;
import java.sql.SQLException;
import java.util.Arrays;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class SilentDatabaseTest {
  /** Each driver counts in a unit of its own. */
  @ParameterizedTest
  @CsvSource({
    "jdbc:postgresql://db/pocketwatch, 300",
    "jdbc:postgresql://db/pocketwatch?ssl=true, 300",
    "jdbc:postgresql://db/pocketwatch?ssl=true&socketTimeout=7, 7",
    "jdbc:mariadb://db/pocketwatch, 300000",
    "jdbc:mariadb://db/pocketwatch?socketTimeout=7000, 7000",
    "jdbc:mariadb://db/pocketwatch?useSsl=true&SOCKETTIMEOUT=0, 0",
  })
  void what_the_driver_makes_of_it(String url, String patience) throws SQLException {
    HikariConfig config = config(url);

    DriverPropertyInfo[] known =
        DriverManager.getDriver(url).getPropertyInfo(url, config.getDataSourceProperties());

    assertThat(Arrays.stream(known).filter(each -> each.name.equals("socketTimeout")))
        .singleElement()
        .extracting(each -> each.value)
        .isEqualTo(patience);
  }

  @Test
  void no_other_driver_is_told_what_it_does_not_know() {
    assertThat(config("jdbc:h2:mem:a").getDataSourceProperties()).isEmpty();
  }

  private static HikariConfig config(String url) {
    HikariConfig config = new HikariConfig();
    config.setJdbcUrl(url);
    SilentDatabase.giveUp(config);
    return config;
  }
}
