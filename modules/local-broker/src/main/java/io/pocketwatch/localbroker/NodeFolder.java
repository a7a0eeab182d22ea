// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.localbroker;

import java.io.IOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The files of one private node. */
record NodeFolder(Path path) {

  Path data() {
    return path.resolve("data");
  }

  Path log() {
    return path.resolve("log");
  }

  /** What the node of this name has logged; empty before its first start. */
  String log(String node) {
    Path file = log().resolve(NodeEnvironment.fullName(node) + ".log");
    try {
      return Files.exists(file) ? Files.readString(file) : "";
    } catch (IOException e) {
      throw new BrokerControlException("cannot read the log of node " + node, e);
    }
  }

  /** What the process printed, from its first word on: start failures end up here. */
  Path console() {
    return log().resolve("console");
  }

  Path pidFile() {
    return path.resolve("pid");
  }

  Path config() {
    return path.resolve("rabbitmq.conf");
  }

  Path advancedConfig() {
    return path.resolve("advanced.config");
  }

  Path enabledPlugins() {
    return path.resolve("enabled_plugins");
  }

  /** An empty folder, named in the environment: otherwise the machine's conf.d would be read. */
  Path configFolder() {
    return path.resolve("conf.d");
  }

  void writeConfiguration(NodePorts ports, LocalBrokerOptions options) throws IOException {
    Files.createDirectories(data());
    Files.createDirectories(log());
    Files.createDirectories(configFolder());
    Files.write(config(), configLines(ports, options.configLines()));
    Files.writeString(enabledPlugins(), enabledPlugins(options.plugins()));
    @Nullable String advanced = options.advancedConfig();
    if (advanced == null) {
      Files.deleteIfExists(advancedConfig());
    } else {
      Files.writeString(advancedConfig(), advanced);
    }
  }

  /** A plugin's keys are errors while the plugin is off, hence the conditions. */
  static List<String> configLines(NodePorts ports, List<String> furtherLines) {
    List<String> lines = new ArrayList<>();
    lines.add("listeners.tcp.1 = 127.0.0.1:" + ports.amqp());
    if (ports.management() > 0) {
      lines.add("management.tcp.ip = 127.0.0.1");
      lines.add("management.tcp.port = " + ports.management());
    }
    lines.addAll(furtherLines);
    return lines;
  }

  static String enabledPlugins(List<String> plugins) {
    return "[" + String.join(",", plugins) + "].\n";
  }

  /** The last lines the process printed, to be shown when it did not start. */
  String lastWords(int lines) {
    try {
      List<String> all = Files.readAllLines(console());
      return String.join("\n", all.subList(Math.max(0, all.size() - lines), all.size()));
    } catch (IOException e) {
      return "(nothing readable in " + console() + ")";
    }
  }

  void delete() throws IOException {
    if (!Files.exists(path)) {
      return;
    }
    Files.walkFileTree(
        path,
        new SimpleFileVisitor<>() {
          @Override
          public FileVisitResult visitFile(Path file, BasicFileAttributes attributes)
              throws IOException {
            Files.deleteIfExists(file);
            return FileVisitResult.CONTINUE;
          }

          @Override
          public FileVisitResult visitFileFailed(Path file, IOException failure)
              throws IOException {
            if (failure instanceof NoSuchFileException) {
              return FileVisitResult.CONTINUE;
            }
            throw failure;
          }

          @Override
          public FileVisitResult postVisitDirectory(Path folder, @Nullable IOException failure)
              throws IOException {
            Files.deleteIfExists(folder);
            return FileVisitResult.CONTINUE;
          }
        });
  }
}
