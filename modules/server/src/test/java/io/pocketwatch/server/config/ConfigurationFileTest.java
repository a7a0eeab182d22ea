// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.server.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.pocketwatch.screen.CommandFailedException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
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
    assertThat(file.server()).isEqualTo(new ServerSettings("127.0.0.1", 8177));
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
            server: {address: 0.0.0.0, port: 0}
            """
                .indent(2),
            Map.of());

    assertThat(file.requireStore())
        .isEqualTo(new StoreSettings("jdbc:h2:mem:a", "me", "secret", 3));
    assertThat(file.server()).isEqualTo(new ServerSettings("0.0.0.0", 0));
    assertThat(file.routes().named("mail")).isNotNull();
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
        "{store: {uri: 'jdbc:h2:mem:a'}}                   | store.uri         | allowed: url, user",
        "{store: {url: 'jdbc:h2:mem:a', password: 1234}}   | store.password    | in quotes",
        "{store: {url: 'jdbc:h2:mem:a', connections: 1}}   | store.connections | 2 to 100",
        "{store: 5}                                        | store             | a mapping",
        "{server: {port: 70000}}                           | server.port       | 0 to 65535",
        "{server: {port: '8177'}}                          | server.port       | 0 to 65535",
        "{server: {host: x}}                               | server.host       | address, port",
      })
  void wrong(String yaml, String key, String allowed) {
    assertThatThrownBy(() -> read(yaml, Map.of()))
        .isInstanceOf(CommandFailedException.class)
        .hasMessageContaining(": pocketwatch." + key + ": ")
        .hasMessageContaining(allowed)
        .hasMessageNotContainingAny("secret", "1234");
  }

  private ConfigurationFile read(String yaml, Map<String, String> environment) throws IOException {
    String text = yaml.startsWith("{") ? "pocketwatch: " + yaml : "pocketwatch:\n" + yaml;
    return ConfigurationFile.load(
        Files.writeString(folder.resolve("pocketwatch.yml"), text), environment);
  }
}
