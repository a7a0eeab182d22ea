// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.localbroker;

import com.github.dockerjava.api.DockerClient;
import com.github.dockerjava.api.command.PullImageResultCallback;
import com.github.dockerjava.api.exception.DockerException;
import com.github.dockerjava.api.exception.NotFoundException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.ServiceLoader;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.testcontainers.dockerclient.DockerClientProviderStrategy;
import org.testcontainers.utility.DockerImageName;
import org.testcontainers.utility.ImageNameSubstitutor;
import org.testcontainers.utility.TestcontainersConfiguration;

/**
 * Asks the Docker engine what can be started, before Testcontainers is asked to. That would retry a
 * registry it cannot reach for two minutes, once for the image and once for its own helper.
 */
final class DockerEngine {

  private static final Duration PULL_LIMIT = Duration.ofMinutes(4);

  /** Of Testcontainers 2.0.5; another version fetches another one once the registry answered. */
  private static final String HELPER_TAG = "0.14.0";

  private final DockerClient client;

  private DockerEngine(DockerClient client) {
    this.client = client;
  }

  static DockerEngine connect() throws RungRefusedException {
    List<DockerClientProviderStrategy> strategies = new ArrayList<>();
    ServiceLoader.load(DockerClientProviderStrategy.class).forEach(strategies::add);
    try {
      DockerClient client =
          DockerClientProviderStrategy.getFirstValidStrategy(strategies).getDockerClient();
      client.pingCmd().exec();
      return new DockerEngine(client);
    } catch (RuntimeException | LinkageError e) { // Testcontainers throws what its transports throw
      throw new RungRefusedException(
          "No Docker engine answers", "Start Docker, or set DOCKER_HOST to a running engine.");
    }
  }

  /** Makes sure that the image of the broker, and Testcontainers' helper, are there. */
  void require(DockerImageName image, Consumer<String> listener) throws RungRefusedException {
    fetch(
        image,
        "Load the image once (docker pull " + image.asCanonicalNameString() + ").",
        listener);
    if (!Boolean.parseBoolean(System.getenv("TESTCONTAINERS_RYUK_DISABLED"))) {
      fetch(
          helper(),
          "It removes containers a killed JVM leaves behind; TESTCONTAINERS_RYUK_DISABLED=true"
              + " does without.",
          listener);
    }
  }

  @SuppressWarnings("deprecation") // the only place that knows a configured other image
  private static DockerImageName helper() {
    DockerImageName configured =
        DockerImageName.parse(TestcontainersConfiguration.getInstance().getRyukImage());
    return configured.getVersionPart().equals("latest")
        ? configured.withTag(HELPER_TAG) // Testcontainers adds its tag later and keeps it to itself
        : configured;
  }

  private void fetch(DockerImageName name, String remedy, Consumer<String> listener)
      throws RungRefusedException {
    DockerImageName image = ImageNameSubstitutor.instance().apply(name);
    String full = image.asCanonicalNameString();
    if (present(full)) {
      return;
    }
    listener.accept("Docker answers and has no image " + full + " yet, pulling it");
    String failure;
    try (PullImageResultCallback pull =
        client
            .pullImageCmd(image.getUnversionedPart())
            .withTag(image.getVersionPart())
            .exec(new PullImageResultCallback())) {
      if (pull.awaitCompletion(PULL_LIMIT.toSeconds(), TimeUnit.SECONDS) && present(full)) {
        return;
      }
      failure = "not complete after " + PULL_LIMIT.toMinutes() + " minutes";
    } catch (DockerException | java.io.IOException e) {
      failure = String.valueOf(e.getMessage()).strip().replaceAll("\\s+", " ");
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      failure = "interrupted";
    }
    throw new RungRefusedException(
        "Docker answers, but has no image " + full + " and cannot pull it",
        remedy + " (" + failure + ")");
  }

  private boolean present(String image) {
    try {
      client.inspectImageCmd(image).exec();
      return true;
    } catch (NotFoundException e) {
      return false;
    }
  }
}
