// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.pocketwatch.it.Certificates.Identity;
import io.pocketwatch.store.MessageQuery;
import io.pocketwatch.store.jdbc.JdbcDelayStore;
import io.pocketwatch.store.jdbc.JdbcSchema;
import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.postgresql.ds.PGSimpleDataSource;

/** TLS to a PostgreSQL that takes nothing else, with a password or with a certificate. */
@Tag("wide")
class DatabaseTlsIT {
  private static final String DB_PASSWORD = "database-password";

  @TempDir private static Path folder;
  private static Certificates certificates;
  private static EmbeddedPostgres postgres;
  private static String clientParameters;

  @BeforeAll
  static void start() throws Exception {
    certificates = new Certificates(folder);
    Identity server = certificates.issue("server", "dns:localhost");
    Identity client = certificates.issue("client", "dns:client");
    // It takes no key that others may read.
    Files.setPosixFilePermissions(server.key(), PosixFilePermissions.fromString("rw-------"));
    Path access =
        Files.writeString(
            folder.resolve("pg_hba.conf"),
            """
            host    all postgres 127.0.0.1/32 trust
            hostssl all client   127.0.0.1/32 cert
            hostssl all all      127.0.0.1/32 scram-sha-256
            """);
    postgres =
        EmbeddedPostgres.builder()
            .setPGStartupWait(Duration.ofMinutes(2))
            .setServerConfig("ssl", "on")
            .setServerConfig("ssl_cert_file", server.certificate().toString())
            .setServerConfig("ssl_key_file", server.key().toString())
            .setServerConfig("ssl_ca_file", certificates.authority().toString())
            .setServerConfig("hba_file", access.toString())
            .start();
    try (Connection owner = postgres.getPostgresDatabase().getConnection();
        Statement statement = owner.createStatement()) {
      JdbcSchema.create(postgres.getPostgresDatabase());
      statement.execute("CREATE ROLE app LOGIN SUPERUSER PASSWORD '" + DB_PASSWORD + "'");
      statement.execute("CREATE ROLE client LOGIN SUPERUSER");
    }
    // The driver wants the bare key, and likewise.
    String pem = Files.readString(client.key()).replaceAll("-----.*?-----|\\s", "");
    Path key = Files.write(folder.resolve("client.pk8"), Base64.getDecoder().decode(pem));
    Files.setPosixFilePermissions(key, PosixFilePermissions.fromString("rw-------"));
    clientParameters = "&sslcert=%s&sslkey=%s".formatted(client.certificate(), key);
  }

  @AfterAll
  static void stop() throws Exception {
    if (postgres != null) {
      postgres.close();
    }
  }

  @Test
  void a_store_works_over_a_verified_connection() throws Exception {
    assertWorks(data("localhost", verified(), "app"));
  }

  @Test
  void a_certificate_does_for_a_password() throws Exception {
    PGSimpleDataSource data = data("localhost", verified() + clientParameters, "client");
    data.setPassword(null);
    assertWorks(data);
  }

  @Test
  void without_tls_the_database_refuses() {
    PGSimpleDataSource plain = data("localhost", "sslmode=disable", "app");
    assertThatThrownBy(() -> plain.getConnection().close())
        .isInstanceOf(SQLException.class)
        .hasMessageContaining("no encryption")
        .hasMessageNotContaining(DB_PASSWORD);
  }

  @Test
  void a_database_nobody_vouches_for_is_refused() throws Exception {
    Path stranger = Files.createDirectory(folder.resolve("stranger"));
    String other = "sslmode=verify-full&sslrootcert=" + new Certificates(stranger).authority();
    assertThatThrownBy(() -> data("localhost", other, "app").getConnection().close())
        .isInstanceOf(SQLException.class)
        .hasMessageContaining("PKIX");
  }

  @Test
  void a_database_of_another_name_is_refused() {
    assertThatThrownBy(() -> data("127.0.0.1", verified(), "app").getConnection().close())
        .isInstanceOf(SQLException.class)
        .hasMessageContaining("could not be verified by hostnameverifier");
  }

  /** As in {@code modules/docs/operate/secure.md}. */
  @Test
  void the_server_takes_it_all_from_its_url() throws Exception {
    String url = url("localhost", verified());
    Path file =
        Files.writeString(
            folder.resolve("tls.yml"), "pocketwatch: {store: {url: '" + url + "', user: app}}\n");
    ServerProcess server =
        new ServerProcess(folder, List.of(), Map.of("POCKETWATCH_STORE_PASSWORD", DB_PASSWORD));

    ServerProcess.Result result = server.run("list", "--config", file.toString());

    assertThat(result.exitCode()).as(result.output()).isZero();
  }

  private static void assertWorks(PGSimpleDataSource data) throws SQLException {
    try (Connection connection = data.getConnection();
        Statement statement = connection.createStatement();
        ResultSet row =
            statement.executeQuery("SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()")) {
      assertThat(row.next()).isTrue();
      assertThat(row.getBoolean(1)).isTrue();
    }
    try (JdbcDelayStore store = JdbcDelayStore.builder(data).build()) {
      assertThat(store.list(MessageQuery.all())).isNotNull();
    }
  }

  private static String verified() {
    return "sslmode=verify-full&sslrootcert=" + certificates.authority();
  }

  private static String url(String host, String parameters) {
    return "jdbc:postgresql://%s:%s/postgres?%s".formatted(host, postgres.getPort(), parameters);
  }

  private static PGSimpleDataSource data(String host, String parameters, String user) {
    PGSimpleDataSource data = new PGSimpleDataSource();
    data.setUrl(url(host, parameters));
    data.setUser(user);
    data.setPassword(DB_PASSWORD);
    return data;
  }
}
