// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.store.jdbc;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.pocketwatch.store.StoreException;
import java.lang.reflect.Proxy;
import java.sql.DriverManager;
import javax.sql.DataSource;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class BadAddressIT {
  @ParameterizedTest
  @ValueSource(
      strings = {
        "jdbc:postgresql://127.0.0.1:1/none",
        "jdbc:mariadb://127.0.0.1:1/none",
        "jdbc:h2:tcp://127.0.0.1:1/none",
        "jdbc:nonsense"
      })
  void sayThatTheDatabaseCannotBeReached(String url) {
    assertThatThrownBy(() -> JdbcDelayStore.builder(at(url)).build())
        .isInstanceOf(StoreException.class)
        .hasMessageStartingWith("the database could not be reached: ");
    assertThatThrownBy(() -> JdbcSchema.create(at(url)))
        .isInstanceOf(StoreException.class)
        .hasMessageStartingWith("the database could not be reached: ");
  }

  /** Without a pool, which has errors of its own. */
  private static DataSource at(String url) {
    return (DataSource)
        Proxy.newProxyInstance(
            BadAddressIT.class.getClassLoader(),
            new Class<?>[] {DataSource.class},
            (proxy, method, arguments) -> DriverManager.getConnection(url));
  }
}
