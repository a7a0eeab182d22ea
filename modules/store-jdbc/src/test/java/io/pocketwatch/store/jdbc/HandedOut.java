// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.store.jdbc;

import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import javax.sql.DataSource;

/** Data sources that hand out a connection in another state than a pool's usual one. */
final class HandedOut {
  private HandedOut() {}

  private interface Source {
    Connection get() throws SQLException;
  }

  /** The same one each time, which its owner closes. */
  static DataSource always(Connection connection) {
    Connection shared =
        proxy(
            Connection.class,
            (proxy, method, arguments) -> {
              if (method.getName().equals("close")) {
                return null;
              }
              try {
                return method.invoke(connection, arguments);
              } catch (InvocationTargetException e) {
                throw e.getCause();
              }
            });
    return source(() -> shared);
  }

  /** As of a pool that is set so, and that has just tested it. */
  static DataSource withoutAutoCommit(DataSource pool) {
    return source(
        () -> {
          Connection connection = pool.getConnection();
          connection.setAutoCommit(false);
          connection.isValid(1);
          return connection;
        });
  }

  private static DataSource source(Source connections) {
    return proxy(DataSource.class, (proxy, method, arguments) -> connections.get());
  }

  private static <T> T proxy(Class<T> type, InvocationHandler handler) {
    return type.cast(
        Proxy.newProxyInstance(HandedOut.class.getClassLoader(), new Class<?>[] {type}, handler));
  }
}
