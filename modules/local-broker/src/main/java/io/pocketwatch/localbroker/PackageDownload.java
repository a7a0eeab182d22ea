// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.localbroker;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * Downloads the packages of another Debian release with this machine's own apt, but into a private
 * apt root. Mirror, keys and proxies are the same, and signatures are checked. Nothing of the
 * system is changed, and no rights are needed.
 */
final class PackageDownload {

  static final Duration LIMIT = Duration.ofMinutes(10);

  /** RabbitMQ, the Erlang applications it depends on, and the C libraries those link with. */
  static final Pattern RABBITMQ =
      Pattern.compile(
          "rabbitmq-server|erlang-.*|libc6|libgcc-s1|libstdc\\+\\+6|libtinfo6|zlib1g|libsctp1"
              + "|libssl3.*|libzstd1|libsystemd0|libcap2");

  private static final Pattern RELEASE_URI =
      Pattern.compile("(?m)^'(.*)/dists/([^/']+)/InRelease'");
  private static final Pattern INSTALLS = Pattern.compile("(?m)^Inst (\\S+)");
  private static final Pattern DOWNLOADS = Pattern.compile("(?m)^'[^']*' (\\S+\\.deb) ");
  private static final Path KEYS = Path.of("/usr/share/keyrings/debian-archive-keyring.gpg");

  private final Environment base;
  private final DebianSuite suite;
  private final Path root;

  PackageDownload(Environment base, DebianSuite suite, Path folder) {
    this.base = base;
    this.suite = suite;
    this.root = folder.resolve("apt");
  }

  /**
   * Fetches what is missing in that folder; after an error, the next call goes on from there.
   *
   * @param name the package that is wanted
   * @param wanted which of those it depends on are fetched with it
   */
  void into(Path packages, String name, Pattern wanted) throws IOException {
    Files.createDirectories(packages);
    Path configuration = configure();
    apt(configuration, packages, "update");
    List<String> names =
        find(INSTALLS, apt(configuration, packages, "-s", "install", name)).stream()
            .filter(each -> wanted.matcher(each).matches())
            .toList();
    if (!names.contains(name)) {
      throw new IOException("no " + name + " in Debian " + suite.label());
    }
    List<String> download = new ArrayList<>(List.of("download"));
    download.addAll(names);
    List<String> listing = new ArrayList<>(List.of("--print-uris"));
    listing.addAll(download);
    Set<String> files =
        new HashSet<>(
            find(DOWNLOADS, apt(configuration, packages, listing.toArray(String[]::new))));
    for (String file : RabbitHome.names(packages)) {
      if (file.endsWith(".deb") && !files.contains(file)) {
        Files.delete(packages.resolve(file)); // of a version the suite had before
      }
    }
    apt(configuration, packages, download.toArray(String[]::new));
    new NodeFolder(root).delete();
  }

  private Path configure() throws IOException {
    Files.createDirectories(root.resolve("lists/partial"));
    Files.createDirectories(root.resolve("cache/archives/partial"));
    Files.writeString(root.resolve("status"), "");
    String signedBy = Files.isReadable(KEYS) ? "[signed-by=" + KEYS + "] " : "";
    Files.writeString(
        root.resolve("sources.list"),
        "deb " + signedBy + mirror() + " " + suite.label() + " main\n");
    return Files.writeString(
        root.resolve("conf"),
        """
        Dir::State "%1$s"; Dir::State::status "%1$s/status"; Dir::Cache "%1$s/cache";
        Dir::Etc::sourcelist "%1$s/sources.list"; Dir::Etc::sourceparts "/dev/null";
        Dir::Etc::preferences "/dev/null"; Dir::Etc::preferencesparts "/dev/null";
        APT::Sandbox::User ""; APT::Install-Recommends "false"; Acquire::Languages "none";
        Acquire::Retries "5"; Acquire::http::Timeout "60";
        #clear APT::Update::Pre-Invoke; #clear APT::Update::Post-Invoke;
        #clear APT::Update::Post-Invoke-Success;
        """
            .formatted(root));
  }

  /** The archive this machine's apt reads most suites from: Debian's own, not an add-on's. */
  private String mirror() throws IOException {
    if (base.get(Environment.MIRROR).isPresent()) {
      return base.get(Environment.MIRROR).get();
    }
    String uris = checked(Command.of("apt-get", "update", "--print-uris"));
    Map<String, Long> archives =
        RELEASE_URI
            .matcher(uris)
            .results()
            .map(found -> found.group(1))
            .filter(uri -> !uri.endsWith("-security"))
            .collect(Collectors.groupingBy(Function.identity(), Collectors.counting()));
    return archives.entrySet().stream()
        .max(Map.Entry.comparingByValue())
        .map(Map.Entry::getKey)
        .orElseThrow(() -> new IOException("apt's configuration names no Debian mirror"));
  }

  private String apt(Path configuration, Path folder, String... arguments) throws IOException {
    // -c is read after the machine's own settings, which stay in force (proxies, for one)
    List<String> line = new ArrayList<>(List.of("apt-get", "-qq", "-c", configuration.toString()));
    line.addAll(List.of(arguments));
    return checked(Command.of(line.toArray(String[]::new)).in(folder));
  }

  private String checked(Command command) throws IOException {
    Map<String, String> variables = new HashMap<>(base.variables());
    variables.put("LC_ALL", "C.UTF-8"); // its output is parsed
    Command.Result result = command.with(variables).run(LIMIT);
    if (!result.ok()) {
      throw new IOException(
          String.join(" ", command.line().subList(0, Math.min(5, command.line().size())))
              + "... failed: "
              + result.errors().strip());
    }
    return result.output();
  }

  private static List<String> find(Pattern pattern, String text) {
    return pattern.matcher(text).results().map((MatchResult found) -> found.group(1)).toList();
  }
}
