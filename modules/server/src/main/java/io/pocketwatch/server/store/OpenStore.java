// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.server.store;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import com.zaxxer.hikari.pool.HikariPool.PoolInitializationException;
import io.pocketwatch.internal.base.ErrorWords;
import io.pocketwatch.screen.CommandFailedException;
import io.pocketwatch.screen.ExitCodes;
import io.pocketwatch.server.config.StoreSettings;
import io.pocketwatch.store.DelayStore;
import io.pocketwatch.store.StoreException;
import io.pocketwatch.store.jdbc.JdbcDelayStore;
import io.pocketwatch.store.jdbc.JdbcSchema;
import java.time.Duration;
import java.util.function.Predicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A store and the pool below it.
 *
 * @param store the store
 * @param pool the pool of connections
 * @param created whether its tables have just been made, or brought up to date
 */
public record OpenStore(DelayStore store, HikariDataSource pool, boolean created)
    implements AutoCloseable {
  private static final Pattern H2_PASSWORD =
      Pattern.compile(";password=([^;]*)", Pattern.CASE_INSENSITIVE);

  /** How long to wait for a free connection; not longer than a stop waits for running work. */
  private static final Duration PATIENCE = Duration.ofSeconds(5);

  /**
   * Connects, and checks that the tables are there and of our version.
   *
   * @throws CommandFailedException if no driver knows the URL
   * @throws StoreException if the database cannot be reached, or its tables are not right
   */
  public static OpenStore connect(StoreSettings settings) {
    HikariConfig config = config(settings);
    SilentDatabase.giveUp(config);
    return over(pool(config, settings), pool -> false);
  }

  /**
   * As {@link #connect}, but first makes or updates the tables. That may take long on a large
   * table, and so its connections wait without a limit.
   */
  public static OpenStore create(StoreSettings settings) {
    return over(pool(config(settings), settings), JdbcSchema::create);
  }

  private static OpenStore over(HikariDataSource pool, Predicate<HikariDataSource> first) {
    try {
      boolean created = first.test(pool);
      return new OpenStore(JdbcDelayStore.builder(pool).build(), pool, created);
    } catch (RuntimeException | Error e) {
      pool.close();
      throw e;
    }
  }

  private static HikariConfig config(StoreSettings settings) {
    requireDriver(settings.url());
    if (settings.url().startsWith("jdbc:h2:")) {
      // The pool does not know H2's codes for a lost connection, and would keep it while busy.
      System.setProperty("com.zaxxer.hikari.aliveBypassWindowMs", "0");
    }
    HikariConfig config = new HikariConfig();
    config.setPoolName("pocketwatch");
    config.setJdbcUrl(settings.url());
    Matcher inUrl = H2_PASSWORD.matcher(settings.url());
    if (settings.url().startsWith("jdbc:h2:") && inUrl.find()) {
      // The pool logs URLs, and hides a password only if it is written as other drivers do.
      config.setPassword(inUrl.group(1));
      config.setJdbcUrl(inUrl.replaceAll(""));
    }
    config.setMaximumPoolSize(settings.connections());
    config.setMinimumIdle(1); // a command needs one connection, not all of them
    config.setConnectionTimeout(PATIENCE.toMillis());
    if (settings.user() != null) {
      config.setUsername(settings.user());
    }
    if (settings.password() != null) {
      config.setPassword(settings.password());
    }
    return config;
  }

  private static HikariDataSource pool(HikariConfig config, StoreSettings settings) {
    try {
      return new HikariDataSource(config);
    } catch (PoolInitializationException e) {
      throw new StoreException("the database cannot be reached: " + words(e, settings), e);
    }
  }

  private static void requireDriver(String url) {
    try {
      StoreSettings.requireDriver(url);
    } catch (IllegalArgumentException e) {
      throw new CommandFailedException(
          ExitCodes.USAGE, "pocketwatch.store.url: " + ErrorWords.of(e), e);
    }
  }

  /** The driver's message, without the URL that some drivers repeat, password included. */
  private static String words(Throwable failure, StoreSettings settings) {
    return ErrorWords.of(failure.getCause() == null ? failure : failure.getCause())
        .replace(settings.url(), StoreSettings.scheme(settings.url()) + "…");
  }

  @Override
  public void close() {
    store.close();
    pool.close();
  }
}
