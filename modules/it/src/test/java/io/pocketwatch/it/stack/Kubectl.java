// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.it.stack;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.dataformat.yaml.YAMLFactory;
import com.google.gson.JsonParser;
import io.kubernetes.client.openapi.models.V1ConfigMap;
import io.kubernetes.client.openapi.models.V1Deployment;
import io.kubernetes.client.openapi.models.V1Ingress;
import io.kubernetes.client.openapi.models.V1Job;
import io.kubernetes.client.openapi.models.V1NetworkPolicy;
import io.kubernetes.client.openapi.models.V1PodDisruptionBudget;
import io.kubernetes.client.openapi.models.V1Service;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.opentest4j.TestAbortedException;

/** The objects that {@code kubectl kustomize} makes; it asks no cluster. */
final class Kubectl {
  private static final ObjectMapper YAML = new ObjectMapper(new YAMLFactory());

  private Kubectl() {}

  /** By kind and name, as {@code Job pocketwatch-schema}; a ConfigMap's is without its hash. */
  static Map<String, JsonNode> kustomize(Path folder) throws IOException, InterruptedException {
    if (Arrays.stream(System.getenv("PATH").split(":"))
        .noneMatch(each -> Files.isExecutable(Path.of(each, "kubectl")))) {
      String loud = "NOT TESTED: docker/kubernetes needs kubectl 1.21 or newer on the PATH";
      System.err.println(loud);
      throw new TestAbortedException(loud);
    }
    Process process =
        new ProcessBuilder("kubectl", "kustomize", folder.toString())
            .redirectErrorStream(true)
            .start();
    String text = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    if (process.waitFor() != 0) {
      throw new IOException(text);
    }
    Map<String, JsonNode> objects = new HashMap<>();
    for (JsonNode each : read(text)) {
      String kind = each.at("/kind").asText();
      String name = each.at("/metadata/name").asText();
      String bare = kind.equals("ConfigMap") ? name.replaceFirst("-[a-z0-9]{10}$", "") : name;
      if (objects.put(kind + " " + bare, each) != null) {
        throw new IOException("two of one name: " + text);
      }
    }
    return objects;
  }

  static List<JsonNode> read(String yaml) throws IOException {
    return YAML.readerFor(JsonNode.class).<JsonNode>readValues(yaml).readAll();
  }

  /**
   * As the API's own description has it.
   *
   * @throws IllegalArgumentException if a field is unknown, or one is missing that must be there
   */
  static void validate(JsonNode object) throws IOException {
    var json = JsonParser.parseString(object.toString());
    switch (object.at("/apiVersion").asText() + " " + object.at("/kind").asText()) {
      case "apps/v1 Deployment" -> V1Deployment.validateJsonElement(json);
      case "batch/v1 Job" -> V1Job.validateJsonElement(json);
      case "networking.k8s.io/v1 Ingress" -> V1Ingress.validateJsonElement(json);
      case "networking.k8s.io/v1 NetworkPolicy" -> V1NetworkPolicy.validateJsonElement(json);
      case "policy/v1 PodDisruptionBudget" -> V1PodDisruptionBudget.validateJsonElement(json);
      case "v1 ConfigMap" -> V1ConfigMap.validateJsonElement(json);
      case "v1 Service" -> V1Service.validateJsonElement(json);
      default -> throw new IllegalArgumentException("what is it? " + object);
    }
  }
}
