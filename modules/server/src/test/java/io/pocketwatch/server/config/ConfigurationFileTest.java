// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.server.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.pocketwatch.config.InvalidConfigurationException;
import io.pocketwatch.screen.CommandFailedException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ConfigurationFileTest {
  @TempDir private Path folder;

  @Test
  void without_the_sections_there_is_no_store_and_the_usual_address() throws IOException {
    ConfigurationFile file = read("{}", Map.of());

    assertThat(file.store()).isEmpty();
    assertThat(file.server()).isEqualTo(ServerSettings.usual(8177));
    assertThatThrownBy(file::requireStore)
        .isInstanceOf(CommandFailedException.class)
        .hasMessageContaining(file.file().toString())
        .hasMessageContaining("pocketwatch.store.url");
  }

  @Test
  void as_written() throws IOException {
    ConfigurationFile file =
        read(
            """
            routes: {mail: {exchange: mail}}
            store: {url: 'jdbc:h2:mem:a', user: me, password: secret, connections: 3}
            server: {address: 0.0.0.0, port: 0, api: false}
            """
                .indent(2),
            Map.of());

    assertThat(file.requireStore())
        .isEqualTo(new StoreSettings("jdbc:h2:mem:a", "me", "secret", 3));
    assertThat(file.server())
        .isEqualTo(
            new ServerSettings(
                "serve", "0.0.0.0", 0, false, List.of(), false, HttpLimits.defaults(), List.of()));
    assertThat(file.routes().named("mail")).isNotNull();
  }

  @Test
  void a_server_has_a_name() throws IOException {
    assertThat(read("{server: {name: billing}}", Map.of()).server().name()).isEqualTo("billing");
    assertThatThrownBy(() -> read("{server: {name: 'a b'}}", Map.of()))
        .hasMessageContaining("pocketwatch.server.name")
        .hasMessageContaining("allowed: 1 to 100 letters");
  }

  @Test
  void the_password_of_the_environment_counts() throws IOException {
    Map<String, String> environment = Map.of("POCKETWATCH_STORE_PASSWORD", "other");
    ConfigurationFile file = read("{store: {url: 'jdbc:h2:mem:a', password: secret}}", environment);

    assertThat(file.requireStore().password()).isEqualTo("other");
  }

  @Test
  void a_password_is_not_shown() throws IOException {
    StoreSettings settings =
        read("{store: {url: 'jdbc:h2:mem:a;PASSWORD=hidden', password: secret}}", Map.of())
            .requireStore();

    assertThat(settings.toString()).doesNotContain("secret", "hidden");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "{store: {}}                                       | store.url         | jdbc:postgresql",
        "{store: {url: 'postgres://me:secret@host'}}       | store.url         | is no JDBC URL",
        "{store: {uri: 'jdbc:h2:mem:a'}}                   | store.uri         | allowed: url,"
            + " user",
        "{store: {url: 'jdbc:h2:mem:a', password: 987654321987}} | store.password    | in quotes",
        "{store: {url: 'jdbc:h2:mem:a', connections: 1}}   | store.connections | 2 to 100",
        "{store: 5}                                        | store             | a mapping",
        "{server: {port: 70000}}                           | server.port       | 0 to 65535",
        "{server: {port: '8177'}}                          | server.port       | '8177' is a text",
        "{server: {port: many}}                            | server.port       | 'many' is a text",
        "{server: {host: x}}                               | server.host       | address, port",
        "{server: {api: 1}}                                | server.api        | true, false",
        "{server: {limits: {requests: 0}}}                 | server.limits.requests | 1 to 100000",
        "{server: {limits: {body-memory: 1}}}              | server.limits.body-memory | 65536 to",
        "{server: {limits: {body-memory: 65536}}}          | server.limits.body-memory |"
            + " request-size, which is 16777216",
        "{server: {targets: some}}                         | server.targets    | any, routes",
        "{server: {credentials: {a: {role: read, token: 'env:A', routes: []}}}} |"
            + " server.credentials.a.routes | at least one",
        "{server: {credentials: {a: {role: read, token: 'env:A', routes: [b]}}}} |"
            + " server.credentials.a.routes | no route of",
        "{server: {limits: {rate: 1}}}                     | server.limits.rate | requests,"
            + " schedules",
        "{server: {callbacks: {a: {url: 'http://x'}}}}    | server.callbacks.a | no route",
        "{routes: {a: {exchange: x}}, server: {callbacks: {a: {url: 'http://x'}}}} |"
            + " server.callbacks.a | routing-key",
        "{routes: {a: {routing-key: x}}, server: {callbacks: {a: {}}}} | server.callbacks.a.url |"
            + " http",
        "{routes: {a: {routing-key: x}}, server: {callbacks: {a: {url: 'ftp://x'}}}} |"
            + " server.callbacks.a.url | http",
        "{routes: {a: {routing-key: x}}, server: {callbacks: {a: {url: 'http://x', timeout: 1h}}}}"
            + " | server.callbacks.a.timeout | 100ms to 5m",
        "{routes: {a: {routing-key: x}}, server: {callbacks: {a: {url: 'http://x', timeout:"
            + " soon}}}} | server.callbacks.a.timeout | 'soon' is not a duration",
        "{server: {credentials: 5}}                        | server.credentials | a mapping",
        "{server: {credentials: {a: 5}}}                   | server.credentials.a | a mapping",
        "{server: {credentials: {a: {role: all}}}}         | server.credentials.a.role | read,"
            + " write",
        "{server: {credentials: {a: {role: read}}}}        | server.credentials.a | env:NAME",
        "{server: {credentials: {a: {role: read, token: secret}}}} | server.credentials.a.token |"
            + " file:PATH",
      })
  void wrong(String yaml, String key, String allowed) {
    assertThatThrownBy(() -> read(yaml, Map.of()))
        .isInstanceOf(InvalidConfigurationException.class)
        .hasMessageContaining(":1: pocketwatch." + key + ": ")
        .hasMessageContaining(allowed)
        .hasMessageNotContainingAny("secret", "987654321987");
  }

  @Test
  void retries_are_the_routes() {
    assertThatThrownBy(
            () ->
                read(
                    "{routes: {a: {routing-key: x}}, server: {callbacks: {a: {url: 'http://x',"
                        + " retries: [1s]}}}}",
                    Map.of()))
        .isInstanceOf(InvalidConfigurationException.class)
        .hasMessageContaining(": pocketwatch.server.callbacks.a.retries: unknown key; allowed: ");
  }

  @Test
  void credentials() throws IOException {
    Path password = Files.writeString(folder.resolve("password"), "hidden-in-a-file\n");
    ServerSettings server =
        read(
                "{server: {credentials: {ops: {role: write, token: 'env:OPS'}, desk: {role: read,"
                    + " password: 'file:%s'}}}}".formatted(password),
                Map.of())
            .server();

    assertThat(server.credentials()).extracting(Credential::name).containsExactly("ops", "desk");
    Credential ops = server.credentials().get(0);
    assertThat(ops.role()).isEqualTo(Role.WRITE);
    assertThat(ops.secret().resolve(Map.of("OPS", "hidden-in-memory")))
        .isEqualTo("hidden-in-memory");
    assertThatThrownBy(() -> ops.secret().resolve(Map.of()))
        .hasMessageContaining("pocketwatch.server.credentials.ops.token: env:OPS is not set");
    assertThatThrownBy(() -> ops.secret().resolve(Map.of("OPS", "1234567")))
        .hasMessageContaining("shorter than 8")
        .hasMessageNotContaining("1234567");
    assertThat(server.credentials().get(1).secret().resolve(Map.of()))
        .isEqualTo("hidden-in-a-file");
  }

  @Test
  void a_public_address_needs_credentials() throws IOException {
    assertThatThrownBy(() -> read("{server: {address: 0.0.0.0}}", Map.of()))
        .isInstanceOf(InvalidConfigurationException.class)
        .hasMessageContaining("pocketwatch.server.address: 0.0.0.0 can be reached")
        .hasMessageContaining("Add pocketwatch.server.credentials");
    read("{server: {address: 0.0.0.0, api: false}}", Map.of());
    read("{server: {address: '::1'}}", Map.of());
    read(
        "{server: {address: 0.0.0.0, credentials: {ops: {role: write, token: 'env:OPS'}}}}",
        Map.of());
  }

  @Test
  void what_follows_from_a_refused_route_is_not_told() {
    String others =
        ", schedules: {s: {every: 1h, route: a}}, server: {callbacks: {a: {url: 'http://x'}},"
            + " credentials: {c: {role: read, token: 'env:C', routes: [a]}}}}";

    for (String routes :
        List.of("routes: [a]", "routes: {a: {exchange: 5}}", "defaults: {insert-limit: 0}")) {
      assertThatThrownBy(() -> read("{" + routes + others, Map.of()))
          .message()
          .satisfies(message -> assertThat(message.lines()).hasSize(1));
    }
  }

  /** A secret that is not there would else stop the start when all is declared. */
  @Test
  void who_reads_all_is_told_of_missing_secrets_too() throws IOException {
    String yaml =
        "pocketwatch: {store: {url: 'jdbc:h2:mem:a'}, server: {credentials: {ops: {role: write,"
            + " token: 'env:OPS'}, desk: {role: read, password: 'file:/no/such'}}}}";
    Path file = Files.writeString(folder.resolve("pocketwatch.yml"), yaml);
    Map<String, String> environment = Map.of("POCKETWATCH_STORE_PASSWORD_FILE", "/no/such");

    assertThatThrownBy(() -> ConfigurationFile.load(file, environment, true, true, true))
        .hasMessageContainingAll(
            "pocketwatch.store: POCKETWATCH_STORE_PASSWORD_FILE names '/no/such', and there is no",
            "pocketwatch.server.credentials.ops.token: env:OPS is not set",
            "pocketwatch.server.credentials.desk.password: file:/no/such cannot be read");
  }

  private ConfigurationFile read(String yaml, Map<String, String> environment) throws IOException {
    String text = yaml.startsWith("{") ? "pocketwatch: " + yaml : "pocketwatch:\n" + yaml;
    return ConfigurationFile.load(
        Files.writeString(folder.resolve("pocketwatch.yml"), text), environment, true, false, true);
  }
}
