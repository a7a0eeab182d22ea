// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.server.cli;

import io.pocketwatch.internal.base.ErrorWords;
import io.pocketwatch.screen.CommandFailedException;
import io.pocketwatch.screen.ExitCodes;
import io.pocketwatch.screen.HelpOption;
import io.pocketwatch.screen.Screen;
import java.io.IOException;
import java.io.InputStream;
import java.net.HttpURLConnection;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** Asks a server for its health, for images without curl. */
@Command(
    name = "health",
    description = {
      "Asks a running 'serve' how it is, and prints what it answers.",
      "For the health check of a container, or for a monitor.",
      ""
    },
    footer = {
      "",
      "  pocketwatch health",
      "  pocketwatch health --url http://127.0.0.1:8177/health",
      "",
      "Exit code 0 if it says UP; 1 if it says DOWN, or nothing within 5 s."
    })
public final class HealthCommand implements Callable<Integer> {
  private static final int PATIENCE_MILLIS = 5_000;

  @Spec private CommandSpec spec;
  @Mixin private HelpOption help;
  @Mixin private ConfigOption config;

  @Option(
      names = "--url",
      paramLabel = "URL",
      description =
          "Its health page; default that of the section 'server' in the configuration, which is not"
              + " read if this is given.")
  private @Nullable URI url;

  @Override
  public Integer call() {
    URI page = url == null ? config.load().server().health() : url;
    if (!"http".equals(page.getScheme()) || page.getHost() == null) {
      throw new ParameterException(
          spec.commandLine(), "--url is not an address such as http://127.0.0.1:8177/health");
    }
    try {
      return ask(page, Screen.of(spec.commandLine()));
    } catch (IOException e) {
      throw new CommandFailedException(
          ExitCodes.FAILED, "nobody answers at %s: %s".formatted(page, ErrorWords.of(e)), e);
    }
  }

  /** Not by the newer client: this starts twice as fast, and a container asks every few seconds. */
  private static int ask(URI page, Screen screen) throws IOException {
    HttpURLConnection connection = (HttpURLConnection) page.toURL().openConnection();
    connection.setConnectTimeout(PATIENCE_MILLIS);
    connection.setReadTimeout(PATIENCE_MILLIS);
    connection.setInstanceFollowRedirects(false);
    boolean up = connection.getResponseCode() == HttpURLConnection.HTTP_OK;
    try (InputStream body = up ? connection.getInputStream() : connection.getErrorStream()) {
      screen.result(
          body == null
              ? "status " + connection.getResponseCode()
              : new String(body.readAllBytes(), StandardCharsets.UTF_8).strip());
    } finally {
      connection.disconnect();
    }
    return up ? ExitCodes.DONE : ExitCodes.FAILED;
  }
}
