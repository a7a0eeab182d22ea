// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.localbroker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A node listens on 127.0.0.1; what else is taken or free on a port is not its concern. */
class FreePortsTest {

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

  @ParameterizedTest
  @CsvSource({"127.0.0.1, false", "0.0.0.0, false", "127.0.0.2, true", "::1, true"})
  void onlyAListenerThatIncludesItIsInTheWay(String address, boolean free) throws IOException {
    try (ServerSocket other = listen(address)) {
      assertThat(FreePorts.free(other.getLocalPort())).isEqualTo(free);
    }
  }

  @Test
  void isFreeAgainWhenTheListenerIsGone() throws IOException {
    int port;
    try (ServerSocket other = listen(FreePorts.HOST)) {
      port = other.getLocalPort();
    }
    assertThat(FreePorts.free(port)).isTrue();
  }

  @Test
  void aJvmThatPrefersIpv6JudgesAlike() throws Exception {
    try (ServerSocket other = listen(FreePorts.HOST)) {
      Process process =
          new ProcessBuilder(
                  Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                  "-Djava.net.preferIPv6Addresses=true",
                  "-cp",
                  System.getProperty("java.class.path"),
                  Elsewhere.class.getName(),
                  Integer.toString(other.getLocalPort()))
              .redirectError(ProcessBuilder.Redirect.DISCARD)
              .start();
      String said =
          new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8).strip();
      assertThat(said).endsWith(" taken accepts");
    }
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
