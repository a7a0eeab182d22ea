// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.benchmarks.peer.broker;

import io.pocketwatch.benchmarks.harness.Ground;
import io.pocketwatch.benchmarks.harness.LoopbackPorts;
import io.pocketwatch.benchmarks.harness.Server;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

/**
 * ActiveMQ Artemis as its embedded form starts it, every confirmed message synced to its journal.
 */
final class ArtemisServer implements Server {
  /** Asynchronous I/O falls back to NIO by itself where libaio is missing. */
  private static final String CONFIGURATION =
      """
      <configuration xmlns="urn:activemq">
        <core xmlns="urn:activemq:core">
          <name>benchmarks</name>
          <persistence-enabled>true</persistence-enabled>
          <security-enabled>false</security-enabled>
          <journal-type>ASYNCIO</journal-type>
          <journal-sync-transactional>true</journal-sync-transactional>
          <journal-sync-non-transactional>true</journal-sync-non-transactional>
          <journal-datasync>true</journal-datasync>
          <max-disk-usage>-1</max-disk-usage>
          <acceptors>
            <acceptor name="core">tcp://127.0.0.1:%s?protocols=CORE</acceptor>
          </acceptors>
        </core>
      </configuration>
      """;

  /** It would log every message; a broker as it is delivered does not. */
  private static final String NO_AUDIT =
      "-Dorg.slf4j.simpleLogger.log.org.apache.activemq.audit=off";

  private final ChildJava java;
  private final int port;
  private final String version;
  private final String journal;

  private ArtemisServer(ChildJava java, int port, String version, String journal) {
    this.java = java;
    this.port = port;
    this.version = version;
    this.journal = journal;
  }

  /** The one of this run. */
  static ArtemisServer shared(Ground ground) throws Exception {
    return ground.server("artemis", ArtemisServer.class, () -> start(ground.folder("artemis")));
  }

  private static ArtemisServer start(Path folder) throws Exception {
    Libraries libraries = Libraries.of("benchmarks-artemis");
    int port = LoopbackPorts.free();
    Path etc = Files.createDirectories(folder.resolve("etc"));
    Files.writeString(etc.resolve("broker.xml"), CONFIGURATION.formatted(port));
    ChildJava java =
        ChildJava.start(
            folder,
            "artemis",
            List.of("-Xmx1g", NO_AUDIT, "-cp", libraries.classPath()),
            "org.apache.activemq.artemis.core.server.embedded.Main",
            List.of(folder.toString()));
    java.awaitPort(port);
    return new ArtemisServer(java, port, libraries.version("artemis-server"), journal(java));
  }

  private static String journal(ChildJava java) throws IOException {
    return java.log().contains("AMQ221012") ? "AIO" : "NIO"; // "Using AIO Journal"
  }

  String url() {
    return "tcp://127.0.0.1:" + port;
  }

  @Override
  public String describe() {
    return "ActiveMQ Artemis "
        + version
        + ", "
        + journal
        + " journal synced before it confirms, -Xmx1g";
  }

  @Override
  public long residentBytes() {
    return java.residentBytes();
  }

  @Override
  public Duration cpuTime() {
    return java.cpuTime();
  }

  @Override
  public void close() {
    java.close();
  }
}
