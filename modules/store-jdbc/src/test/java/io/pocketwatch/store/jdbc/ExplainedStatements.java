// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.store.jdbc;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import javax.sql.DataSource;

/** Has PostgreSQL explain every query that goes through it, with the parameters it had. */
final class ExplainedStatements {
  private final List<String> plans = new ArrayList<>();

  /** Each query with its plan, in order. */
  List<String> plans() {
    return plans;
  }

  DataSource through(DataSource database) {
    return wrap(
        DataSource.class,
        database,
        (method, arguments, result) ->
            result instanceof Connection connection ? through(connection) : result);
  }

  private Connection through(Connection connection) {
    return wrap(
        Connection.class,
        connection,
        (method, arguments, result) ->
            result instanceof PreparedStatement statement
                ? through(connection, (String) arguments[0], statement)
                : result);
  }

  private PreparedStatement through(
      Connection connection, String text, PreparedStatement statement) {
    Map<Integer, Object> parameters = new TreeMap<>();
    return wrap(
        PreparedStatement.class,
        statement,
        (method, arguments, result) -> {
          if (method.startsWith("set")) {
            parameters.put((Integer) arguments[0], arguments[1]);
          } else if (method.equals("execute") || method.equals("executeUpdate")) {
            plans.add(text + "\n" + plan(connection, text, parameters));
          }
          return result;
        });
  }

  private static String plan(Connection connection, String text, Map<Integer, Object> parameters)
      throws SQLException {
    PostgreSqlDialect dialect = new PostgreSqlDialect(true);
    String query = text.replace(dialect.planAnew(), "").replace(dialect.planOnce(), "");
    try (PreparedStatement explain = connection.prepareStatement("EXPLAIN " + query)) {
      for (Map.Entry<Integer, Object> each : parameters.entrySet()) {
        explain.setObject(each.getKey(), each.getValue());
      }
      List<String> lines = new ArrayList<>();
      try (ResultSet rows = explain.executeQuery()) {
        while (rows.next()) {
          lines.add(rows.getString(1));
        }
      }
      return String.join("\n", lines);
    }
  }

  private static <T> T wrap(Class<T> type, T target, After after) {
    Object proxy =
        Proxy.newProxyInstance(
            type.getClassLoader(),
            new Class<?>[] {type},
            (self, method, arguments) -> {
              try {
                return after.called(method.getName(), arguments, method.invoke(target, arguments));
              } catch (InvocationTargetException e) {
                throw e.getCause();
              }
            });
    return type.cast(proxy);
  }

  /** Sees a call that was made, and says what it returns. */
  private interface After {
    Object called(String method, Object[] arguments, Object result) throws SQLException;
  }
}
