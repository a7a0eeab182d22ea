// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.localbroker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class EnvironmentTest {

  @Test
  void folders_follow_the_variables() {
    Environment environment =
        new Environment(Map.of("XDG_CACHE_HOME", "/cache", "XDG_STATE_HOME", "/state"));
    assertThat(environment.cacheFolder()).isEqualTo(Path.of("/cache/pocketwatch"));
    assertThat(environment.stateFolder()).isEqualTo(Path.of("/state/pocketwatch"));
  }

  @Test
  void relative_folders_are_ignored() {
    Environment environment = new Environment(Map.of("XDG_CACHE_HOME", "cache"));
    assertThat(environment.cacheFolder())
        .isEqualTo(Path.of(System.getProperty("user.home"), ".cache/pocketwatch"));
  }

  @Test
  void plugin_folders_of_the_version_come_first() {
    Environment environment =
        new Environment(
            Map.of(
                "POCKETWATCH_BROKER_PLUGINS", "/any:/other",
                "POCKETWATCH_BROKER_PLUGINS_3_10", "/old",
                "POCKETWATCH_BROKER_PLUGINS_4_3", "/new"));
    assertThat(environment.pluginFolders("3.10.8"))
        .isEqualTo(List.of(Path.of("/old"), Path.of("/any"), Path.of("/other")));
  }

  @Test
  void blank_means_not_set() {
    assertThat(new Environment(Map.of("POCKETWATCH_BROKER", " ")).get("POCKETWATCH_BROKER"))
        .isEmpty();
  }

  @ParameterizedTest
  @ValueSource(strings = {"21000", "a-b", "200-100", "0-10", "1-70000"})
  void refusesWhatIsNoRangeOfPorts(String range) {
    Environment environment = new Environment(Map.of("POCKETWATCH_BROKER_PORTS", range));
    assertThatIllegalArgumentException()
        .isThrownBy(() -> FreePorts.of(environment))
        .withMessageContaining("POCKETWATCH_BROKER_PORTS=" + range);
  }

  @Test
  void a_node_never_sees_the_machines_own_settings() {
    Environment environment =
        new Environment(
            Map.of(
                "RABBITMQ_NODENAME", "rabbit@host",
                "ERL_LIBS", "/x",
                "NOTIFY_SOCKET", "/run/notify",
                "PATH", "/usr/bin"));
    RabbitHome home = new RabbitHome(Path.of("/r"), "4.3.6", List.of(Path.of("/e")));
    NodeIdentity identity =
        new NodeIdentity(
            BrokerSource.INSTALLED,
            home,
            new NodeGround(Path.of("/g"), 4),
            "pw1",
            new NodePorts(1, 2, 3));
    assertThat(NodeEnvironment.node(environment, identity, List.of(Path.of("/plugins"))))
        .containsEntry("RABBITMQ_NODENAME", "pw1@localhost")
        .containsEntry("RABBITMQ_CONF_ENV_FILE", "/dev/null")
        .containsEntry("RABBITMQ_CONFIG_FILES", "/g/pw1/conf.d")
        .containsEntry("RABBITMQ_PLUGINS_DIR", "/r/plugins:/plugins")
        .containsEntry("ERL_EPMD_PORT", "4")
        .containsEntry("HOME", "/g/home")
        .containsEntry("PATH", "/e:/usr/bin")
        .doesNotContainKeys("ERL_LIBS", "NOTIFY_SOCKET");
  }

  @Test
  void configuration_names_only_plugins_that_are_on() {
    assertThat(NodeFolder.configLines(new NodePorts(1, 2, 0), List.of("heartbeat = 5")))
        .containsExactly("listeners.tcp.1 = 127.0.0.1:1", "heartbeat = 5");
    assertThat(NodeFolder.configLines(new NodePorts(1, 2, 3), List.of()))
        .contains("management.tcp.port = 3");
  }
}
