// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.benchmarks.peer.broker;

import io.pocketwatch.benchmarks.harness.Ground;
import io.pocketwatch.benchmarks.harness.LoopbackPorts;
import io.pocketwatch.benchmarks.harness.Server;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** RocketMQ: a name server and one broker that syncs before it confirms. */
final class RocketServer implements Server {
  /** Both reach into the JDK for their mapped files. */
  private static final List<String> OPENED =
      List.of(
          "--add-exports=java.base/jdk.internal.ref=ALL-UNNAMED",
          "--add-opens=java.base/sun.nio.ch=ALL-UNNAMED",
          "--add-opens=java.base/java.nio=ALL-UNNAMED");

  /** Its own configuration tells hundreds of lines before it logs the first thing. */
  private static final String LOGGING =
      """
      <configuration>
        <statusListener class="org.apache.rocketmq.logging.ch.qos.logback.core.status.NopStatusListener"/>
        <appender name="OUT" class="org.apache.rocketmq.logging.ch.qos.logback.core.ConsoleAppender">
          <encoder><pattern>%d %-5level %logger{0}: %msg%n</pattern></encoder>
        </appender>
        <root level="WARN"><appender-ref ref="OUT"/></root>
      </configuration>
      """;

  /** Small files, so that it starts quickly; patience, so that bursts wait and are not refused. */
  private static final String BROKER =
      """
      brokerClusterName=benchmarks
      brokerName=benchmarks
      brokerIP1=127.0.0.1
      bindAddress=127.0.0.1
      namesrvAddr=127.0.0.1:%s
      listenPort=%s
      haListenPort=%s
      storePathRootDir=%s
      storePathCommitLog=%s
      flushDiskType=SYNC_FLUSH
      timerWheelEnable=true
      timerPrecisionMs=%s
      mappedFileSizeCommitLog=134217728
      mappedFileSizeTimerLog=16777216
      diskMaxUsedSpaceRatio=95
      waitTimeMillsInSendQueue=10000
      """;

  private final ChildJava names;
  private final ChildJava broker;
  private final String address;
  private final String description;

  private RocketServer(ChildJava names, ChildJava broker, String address, String description) {
    this.names = names;
    this.broker = broker;
    this.address = address;
    this.description = description;
  }

  /** The one of this run whose timer has that precision. */
  static RocketServer shared(Ground ground, Duration precision) throws Exception {
    String name = "rocketmq-" + precision.toMillis() + "ms";
    return ground.server(
        name, RocketServer.class, () -> start(ground.folder(name), precision.toMillis()));
  }

  private static RocketServer start(Path folder, long precisionMillis) throws Exception {
    Libraries libraries = Libraries.of("benchmarks-rocketmq");
    Files.writeString(folder.resolve("rmq.logback.xml"), LOGGING);
    int namesPort = LoopbackPorts.free();
    Files.writeString(
        folder.resolve("names.properties"),
        "bindAddress=127.0.0.1\nlistenPort=" + namesPort + "\n");
    ChildJava names =
        java(folder, libraries, List.of("-Xmx256m"), "namesrv.NamesrvStartup", "names");
    names.awaitPort(namesPort);
    LoopbackPorts.free(); // it listens two below the port it is given as well
    LoopbackPorts.free();
    int port = LoopbackPorts.free();
    Path store = folder.resolve("store");
    Files.writeString(
        folder.resolve("broker.properties"),
        BROKER.formatted(
            namesPort,
            port,
            LoopbackPorts.free(),
            store,
            store.resolve("commitlog"),
            precisionMillis));
    ChildJava broker =
        java(
            folder,
            libraries,
            List.of("-Xmx1g", "-XX:MaxDirectMemorySize=512m"),
            "broker.BrokerStartup",
            "broker");
    try {
      broker.awaitPort(port);
    } catch (Exception e) {
      names.close();
      throw e;
    }
    String description =
        "RocketMQ "
            + libraries.version("rocketmq-broker")
            + ", SYNC_FLUSH, one broker, -Xmx1g, timerPrecisionMs="
            + precisionMillis;
    return new RocketServer(names, broker, "127.0.0.1:" + namesPort, description);
  }

  private static ChildJava java(
      Path folder, Libraries libraries, List<String> memory, String mainClass, String name)
      throws Exception {
    List<String> options = new ArrayList<>(memory);
    options.addAll(OPENED);
    options.add("-Duser.home=" + folder);
    options.add("-Drocketmq.home.dir=" + folder);
    options.addAll(List.of("-cp", folder + java.io.File.pathSeparator + libraries.classPath()));
    return ChildJava.start(
        folder,
        name,
        options,
        "org.apache.rocketmq." + mainClass,
        List.of("-c", name + ".properties"));
  }

  /** Of the name server. */
  String address() {
    return address;
  }

  @Override
  public String describe() {
    return description;
  }

  @Override
  public long residentBytes() {
    return names.residentBytes() + broker.residentBytes();
  }

  @Override
  public Duration cpuTime() {
    return names.cpuTime().plus(broker.cpuTime());
  }

  @Override
  public void close() {
    broker.close();
    names.close();
  }
}
