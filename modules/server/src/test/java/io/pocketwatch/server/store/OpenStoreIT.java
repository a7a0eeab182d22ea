// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.server.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.pocketwatch.localbroker.NetworkProxy;
import io.pocketwatch.server.config.StoreSettings;
import io.pocketwatch.testkit.store.TestDatabase;
import io.pocketwatch.testkit.store.TestDatabases;
import java.net.URI;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** How long the drivers wait for a database that says nothing. */
class OpenStoreIT {
  @Test
  void postgresql_is_given_up_after_five_minutes_or_what_the_url_says() throws Exception {
    try (TestDatabase database = TestDatabases.postgresql()) {
      StoreSettings settings = settings(database.url());
      try (OpenStore created = OpenStore.create(settings)) {
        assertThat(patience(created)).as("a large table takes its time").isZero();
      }
      try (OpenStore open = OpenStore.connect(settings)) {
        assertThat(patience(open)).isEqualTo(Duration.ofMinutes(5));
      }
      try (OpenStore open = OpenStore.connect(settings(with(database.url(), "socketTimeout=7")))) {
        assertThat(patience(open)).isEqualTo(Duration.ofSeconds(7));
      }
    }
  }

  private static Duration patience(OpenStore open) throws SQLException {
    try (Connection connection = open.pool().getConnection()) {
      return Duration.ofMillis(connection.getNetworkTimeout());
    }
  }

  @Test
  @Timeout(60)
  void a_database_that_falls_silent_is_an_error() throws Exception {
    try (TestDatabase database = TestDatabases.postgresql()) {
      OpenStore.create(settings(database.url())).close();
      URI direct = URI.create(database.url().substring("jdbc:".length()));
      try (NetworkProxy network = NetworkProxy.to(direct.getHost(), direct.getPort());
          OpenStore open =
              OpenStore.connect(
                  settings(
                      with(
                          database
                              .url()
                              .replace(
                                  direct.getAuthority(), network.host() + ":" + network.port()),
                          "socketTimeout=1")));
          Connection connection = open.pool().getConnection();
          Statement statement = connection.createStatement()) {
        network.stall();

        assertThatThrownBy(() -> statement.execute("SELECT 1")).isInstanceOf(SQLException.class);
      }
    }
  }

  private static StoreSettings settings(String url) {
    return StoreSettings.at(url, Map.of());
  }

  private static String with(String url, String parameter) {
    return url + (url.contains("?") ? "&" : "?") + parameter;
  }
}
