// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.config;

import com.fasterxml.jackson.core.JsonLocation;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.JsonStreamContext;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.StreamReadFeature;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.dataformat.yaml.YAMLFactory;
import com.fasterxml.jackson.dataformat.yaml.YAMLParser;
import io.pocketwatch.internal.base.ErrorWords;
import java.io.IOException;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * YAML text as a tree of texts, numbers, lists and mappings; a tag in it never makes a Java object.
 * Text that Jackson would misread is refused. It takes an alias's name for a text and a key without
 * a value for an empty text, and ignores a second document.
 */
final class YamlDocument {
  /** In bytes of a file or characters of a text: room for some thousands of routes. */
  static final int MAX_SIZE = 1 << 20;

  static final String TOO_LARGE = "is too large for a configuration; allowed: 1 MiB";

  private static final Pattern POSITION = Pattern.compile(" in '.*', (line \\d+, column \\d+):");
  private static final YAMLFactory YAML =
      YAMLFactory.builder().enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION).build();
  private static final ObjectMapper TREES = new ObjectMapper(YAML);

  private final String source;
  private final YAMLParser parser;

  private YamlDocument(String source, YAMLParser parser) {
    this.source = source;
    this.parser = parser;
  }

  static YamlNode parse(String yaml, String source) {
    if (yaml.length() > MAX_SIZE) {
      throw new InvalidConfigurationException(source, "", TOO_LARGE);
    }
    try (YAMLParser parser = YAML.createParser(yaml)) {
      new YamlDocument(source, parser).check();
      return YamlNode.root(source, TREES.readTree(yaml));
    } catch (JsonProcessingException e) {
      throw new InvalidConfigurationException(source, "", "is not YAML: " + describe(e), e);
    } catch (IOException e) {
      throw new InvalidConfigurationException(source, "", "cannot be read: " + ErrorWords.of(e), e);
    }
  }

  private void check() throws IOException {
    JsonToken token = next();
    if (token == null || isBlank(token)) {
      throw refuse("is empty; write at least 'pocketwatch: {}'");
    }
    boolean ended = false;
    for (; token != null; token = next()) {
      if (ended) {
        throw refuse("holds more than one YAML document; allowed: one");
      }
      if (parser.isCurrentAlias()) {
        // Not its name: it may be a password that somebody has not put in quotes.
        throw refuse(
            "an alias%s is not followed; write the value itself, in quotes if it begins with '*'"
                .formatted(line(parser.currentTokenLocation())));
      }
      if (isBlank(token)) {
        throw refuse(
            "has no value%s; give it one or leave the key out"
                .formatted(line(parser.currentTokenLocation())));
      }
      // Back outside all mappings and lists, or never inside one.
      ended = parser.getParsingContext().inRoot();
    }
  }

  private JsonToken next() throws IOException {
    try {
      return parser.nextToken();
    } catch (JsonProcessingException e) {
      if (e.getOriginalMessage().startsWith("Duplicate field")) {
        throw refuse("the key is there twice, again%s".formatted(line(e.getLocation())));
      }
      throw e;
    }
  }

  /** Whether this is a value of no characters at all; two quotes would be two. */
  private boolean isBlank(JsonToken token) throws IOException {
    return token == JsonToken.VALUE_STRING
        && parser.getText().isEmpty()
        && parser.currentTokenLocation().getCharOffset()
            == parser.currentLocation().getCharOffset();
  }

  private InvalidConfigurationException refuse(String problem) {
    return new InvalidConfigurationException(source, path(parser.getParsingContext()), problem);
  }

  private static String path(JsonStreamContext context) {
    JsonStreamContext parent = context.getParent();
    if (parent == null) {
      return "";
    }
    if (context.inArray()) {
      return YamlNode.path(path(parent), context.getCurrentIndex());
    }
    return context.hasCurrentName()
        ? YamlNode.path(path(parent), context.getCurrentName())
        : path(parent);
  }

  private static String line(JsonLocation location) {
    return " in line " + location.getLineNr();
  }

  /** The parser's own words in one line, without its excerpts of the text. */
  private static String describe(JsonProcessingException e) {
    StringBuilder text = new StringBuilder();
    for (String line : e.getOriginalMessage().split("\n")) {
      Matcher position = POSITION.matcher(line);
      if (position.matches()) {
        text.append(" (").append(position.group(1)).append(')');
      } else if (!line.startsWith(" ")) {
        text.append(text.isEmpty() ? "" : ", ").append(line);
      }
    }
    if (text.indexOf("(line ") < 0 && e.getLocation() != null) {
      text.append(" (near line ").append(e.getLocation().getLineNr()).append(')');
    }
    return text.toString();
  }
}
