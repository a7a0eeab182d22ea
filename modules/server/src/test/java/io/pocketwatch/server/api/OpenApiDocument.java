// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.server.api;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;

/** What {@code openapi.yaml} says about problems. */
final class OpenApiDocument {
  private static final Pattern NAME = Pattern.compile("`([a-z]+(-[a-z]+)*)`");
  private static final String REFERENCE = "#/components/responses/";

  private final JsonNode root;

  private OpenApiDocument(JsonNode root) {
    this.root = root;
  }

  static OpenApiDocument read() {
    try (InputStream in = RestApi.class.getResourceAsStream("openapi.yaml")) {
      return new OpenApiDocument(new YAMLMapper().readTree(in));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** The name of every problem that an answer is described with. */
  Set<String> problems() {
    Set<String> names = new TreeSet<>();
    for (JsonNode response : root.at("/components/responses")) {
      if (response.path("content").toString().contains("problem")) {
        NAME.matcher(response.path("description").textValue())
            .results()
            .forEach(found -> names.add(found.group(1)));
      }
    }
    return names;
  }

  /**
   * Whether the description of what was asked names this problem under the status it came with;
   * true for what is not described at all.
   */
  boolean foresees(Answer answer, String problem) {
    String[] request = answer.request().split(" ", 2);
    JsonNode path = path(request[1]);
    JsonNode operation = path.path(request[0].toLowerCase(Locale.ROOT));
    if (operation.isMissingNode()) {
      return true;
    }
    String response =
        operation
            .path("responses")
            .path(String.valueOf(answer.status()))
            .path("$ref")
            .asText()
            .replace(REFERENCE, "");
    return root.at("/components/responses/" + response + "/description")
        .asText()
        .contains("`" + problem + "`");
  }

  private JsonNode path(String asked) {
    for (Map.Entry<String, JsonNode> each : root.at("/paths").properties()) {
      if (asked.matches(each.getKey().replaceAll("\\{\\w+}", "[^/]+"))) {
        return each.getValue();
      }
    }
    return root.path("nothing");
  }
}
