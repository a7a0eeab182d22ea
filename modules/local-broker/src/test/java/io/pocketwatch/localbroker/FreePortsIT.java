// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.localbroker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A node listens on 127.0.0.1; what else is taken or free on a port is not its concern. */
class FreePortsIT {

  /** Run in a JVM to which another address is loopback. */
  static final class Elsewhere {

    private Elsewhere() {}

    public static void main(String[] arguments) {
      int port = Integer.parseInt(arguments[0]);
      System.out.println(
          InetAddress.getLoopbackAddress().getHostAddress()
              + (FreePorts.free(port) ? " free" : " taken")
              + (Polling.accepts(port) ? " accepts" : " refuses"));
    }
  }

  /** Run in another JVM, which may pick that port only. */
  static final class Neighbour {

    private Neighbour() {}

    public static void main(String[] arguments) {
      try {
        System.out.println("picked " + only(Integer.parseInt(arguments[0])).next(0));
      } catch (BrokerControlException e) {
        System.out.println(e.getMessage());
      }
    }
  }

  @ParameterizedTest
  @CsvSource({"127.0.0.1, false", "0.0.0.0, false", "127.0.0.2, true", "::1, true"})
  void onlyAListenerThatIncludesItIsInTheWay(String address, boolean free) throws IOException {
    try (ServerSocket other = listen(address)) {
      assertThat(FreePorts.free(other.getLocalPort())).isEqualTo(free);
    }
  }

  @Test
  void is_free_again_when_the_listener_is_gone() throws IOException {
    int port;
    try (ServerSocket other = listen(FreePorts.HOST)) {
      port = other.getLocalPort();
    }
    assertThat(FreePorts.free(port)).isTrue();
  }

  @Test
  void a_jvm_that_prefers_ipv6_judges_alike() throws IOException {
    try (ServerSocket other = listen(FreePorts.HOST)) {
      assertThat(said(Elsewhere.class, other.getLocalPort(), "-Djava.net.preferIPv6Addresses=true"))
          .endsWith(" taken accepts");
    }
  }

  @Test
  void no_other_jvm_gets_it_until_it_is_given_back() throws IOException {
    int port = FreePorts.of(new Environment(Map.of())).next(0);
    assertThat(FreePorts.free(port)).as("nobody listens on it yet").isTrue();
    assertThat(said(Neighbour.class, port)).startsWith("no free port between " + port);

    FreePorts.giveBack(port);
    assertThat(said(Neighbour.class, port)).isEqualTo("picked " + port);
    assertThat(only(port).next(0)).as("its JVM is gone").isEqualTo(port);
    FreePorts.giveBack(port);
  }

  private static FreePorts only(int port) {
    return FreePorts.of(new Environment(Map.of(Environment.PORTS, port + "-" + port)));
  }

  /** The output of a program in a JVM of its own. */
  private static String said(Class<?> program, int port, String... jvmOptions) throws IOException {
    List<String> line = new ArrayList<>();
    line.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    line.addAll(List.of(jvmOptions));
    line.addAll(List.of("-cp", System.getProperty("java.class.path")));
    line.addAll(List.of(program.getName(), Integer.toString(port)));
    Process process =
        new ProcessBuilder(line).redirectError(ProcessBuilder.Redirect.DISCARD).start();
    return new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8).strip();
  }

  private static ServerSocket listen(String address) throws IOException {
    try {
      return new ServerSocket(0, 1, InetAddress.getByName(address));
    } catch (IOException e) {
      assumeTrue(false, "this machine has no " + address);
      throw e;
    }
  }
}
