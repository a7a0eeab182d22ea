// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.it;

import io.pocketwatch.config.DelayRoute;
import io.pocketwatch.config.DelayRoute.Tracking;
import io.pocketwatch.config.DelayRoutes;
import io.pocketwatch.config.LoaderOptions;
import io.pocketwatch.store.jdbc.JdbcDelayStore;
import io.pocketwatch.store.jdbc.JdbcSchema;
import io.pocketwatch.tracking.TrackedPublisher;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.UUID;
import java.util.function.UnaryOperator;
import org.h2.jdbcx.JdbcConnectionPool;

/** An empty database of one test, which can be taken away and given back. */
final class StoreWorld implements AutoCloseable {
  private final JdbcConnectionPool pool =
      JdbcConnectionPool.create(
          "jdbc:h2:mem:" + UUID.randomUUID() + ";DB_CLOSE_DELAY=-1;LOCK_TIMEOUT=5000", "sa", "");
  private final SwitchableDataSource dataSource = new SwitchableDataSource(pool);
  private final JdbcDelayStore store;

  StoreWorld() {
    pool.setMaxConnections(20);
    JdbcSchema.create(dataSource);
    store = JdbcDelayStore.builder(dataSource).build();
  }

  JdbcDelayStore store() {
    return store;
  }

  /** The same database as another process sees it, which nobody takes away from that one. */
  JdbcDelayStore storeOfAnother() {
    return JdbcDelayStore.builder(pool).build();
  }

  /** A connection of the application, in a transaction. */
  Connection transaction() throws SQLException {
    Connection connection = pool.getConnection();
    connection.setAutoCommit(false);
    return connection;
  }

  /** Connections that are asked for from now on fail, or no longer do. */
  void down(boolean down) {
    dataSource.down(down);
  }

  /** Connections that are asked for from now on do not come, or come at last. */
  void silent(boolean silent) {
    dataSource.silent(silent);
  }

  /** A publisher with this store and one route of that tracking to the target. */
  TrackedPublisher publisher(World world, String target, Tracking tracking) {
    return publisher(world, target, route -> route.tracking(tracking));
  }

  TrackedPublisher publisher(World world, String target, UnaryOperator<DelayRoute.Builder> route) {
    return world.publisher(routes(world, target, route), store);
  }

  static DelayRoutes routes(World world, String target, Tracking tracking) {
    return routes(world, target, route -> route.tracking(tracking));
  }

  private static DelayRoutes routes(
      World world, String target, UnaryOperator<DelayRoute.Builder> route) {
    return world.routes().toBuilder()
        .route(route.apply(DelayRoute.builder("tracked").exchange(target)).build())
        .loader(
            LoaderOptions.builder()
                .every(Duration.ofSeconds(10))
                .lead(Duration.ofSeconds(20))
                .sweep(Duration.ofMillis(500))
                .lease(Duration.ofSeconds(5))
                .build())
        .build();
  }

  @Override
  public void close() {
    pool.dispose();
  }
}
