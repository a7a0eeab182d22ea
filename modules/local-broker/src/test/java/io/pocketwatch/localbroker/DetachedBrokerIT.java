// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.localbroker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@Tag("ci")
class DetachedBrokerIT {

  private static final LocalBrokerOptions PLAIN =
      LocalBrokerOptions.defaults().withVersion("4.3").withPlugins(List.of());

  @TempDir Path folder;

  private DetachedBroker broker() {
    return DetachedBroker.in(folder.resolve("broker")); // each one as the next JVM would see it
  }

  @AfterEach
  void leaveNothingBehind() {
    broker().wipe();
  }

  @Test
  void is_found_again_until_it_is_stopped_and_comes_back_with_its_data() {
    assertThat(broker().running()).isEmpty();
    BrokerNode started = broker().start(PLAIN, line -> {});
    started.ctl("add_vhost", "kept");
    started.close(); // somebody else's to end

    BrokerNode found = broker().running().orElseThrow();
    assertThat(found.amqpUri()).isEqualTo(started.amqpUri());
    assertThat(found.version()).startsWith("4.3.");
    List<String> words = new ArrayList<>();
    assertThat(broker().start(PLAIN, words::add).running()).isTrue();
    assertThat(words).hasSize(1).first().asString().startsWith("Already running");

    assertThat(broker().stop(line -> {})).isTrue();
    assertThat(broker().stop(line -> {})).isFalse();
    assertThat(broker().running()).isEmpty();

    BrokerNode again = broker().start(PLAIN, line -> {});
    assertThat(again.amqpUri()).isEqualTo(started.amqpUri());
    assertThat(again.ctl("-q", "list_vhosts")).contains("kept");
    broker().wipe();
    assertThat(broker().running()).isEmpty();
    assertThat(Files.exists(broker().folder())).isFalse();
  }

  @Test
  void a_taken_port_that_is_asked_for_is_refused_before_anything_happens() throws IOException {
    try (ServerSocket stranger = listenOn(0)) {
      int port = stranger.getLocalPort();
      List<String> words = new ArrayList<>();
      assertThatExceptionOfType(BrokerControlException.class)
          .isThrownBy(() -> broker().start(PLAIN.withPort(port), words::add))
          .withMessageStartingWith("port " + port + " is taken by another program on 127.0.0.1")
          .withMessageContaining("ask for another port")
          .satisfies(e -> assertThat(e.getMessage().lines()).hasSize(1));
      assertThat(words).isEmpty();
      assertThat(broker().folder()).doesNotExist();
    }
  }

  @Test
  void comes_not_back_on_a_port_that_a_stranger_has_taken_meanwhile() throws IOException {
    int port = broker().start(PLAIN, line -> {}).amqpUri().getPort();
    broker().stop(line -> {});
    try (ServerSocket stranger = listenOn(port)) {
      assertThat(stranger.isBound()).isTrue();
      assertThatExceptionOfType(BrokerControlException.class)
          .isThrownBy(() -> broker().start(PLAIN, line -> {}))
          .withMessageContaining("its AMQP port 127.0.0.1:" + port + " is taken")
          .withMessageContaining("wipe the node")
          .satisfies(e -> assertThat(e.getMessage().lines()).hasSize(1));
      assertThat(broker().running()).isEmpty();
    }
    assertThat(broker().start(PLAIN, line -> {}).amqpUri().getPort()).isEqualTo(port);
  }

  @Test
  void is_found_and_stopped_when_its_programs_are_gone() throws IOException {
    broker().start(PLAIN, line -> {});
    long pid = pid();
    loseThePrograms();

    assertThat(broker().running()).isPresent();
    List<String> words = new ArrayList<>();
    assertThat(broker().start(PLAIN, words::add).running()).isTrue();
    assertThat(words).hasSize(1).first().asString().startsWith("Already running");
    words.clear();
    assertThat(broker().stop(words::add)).isTrue();

    assertThat(words).first().asString().startsWith("The programs of").endsWith("its process");
    assertThat(ProcessHandle.of(pid)).isEmpty();
    assertThat(broker().running()).isEmpty();
    assertThat(broker().start(PLAIN, line -> {}).running()).as("fetched again").isTrue();
  }

  @Test
  void is_killed_before_it_is_wiped_when_its_programs_are_gone() throws IOException {
    broker().start(PLAIN, line -> {});
    long pid = pid();
    loseThePrograms();

    broker().wipe();

    assertThat(ProcessHandle.of(pid)).isEmpty();
    assertThat(broker().folder()).doesNotExist();
  }

  private long pid() throws IOException {
    return Long.parseLong(Files.readString(broker().folder().resolve("pocketwatch/pid")).strip());
  }

  /** As its record sees it when somebody clears the cache; the real programs are others', too. */
  private void loseThePrograms() throws IOException {
    Path record = broker().folder().resolve("node.properties");
    List<String> lines =
        Files.readAllLines(record).stream()
            .map(line -> line.startsWith("home=") ? "home=" + folder.resolve("gone") : line)
            .toList();
    Files.write(record, lines);
  }

  private static ServerSocket listenOn(int port) throws IOException {
    return new ServerSocket(port, 1, InetAddress.getByName(FreePorts.HOST));
  }
}
