// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.config;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.JsonStreamContext;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.dataformat.yaml.YAMLFactory;
import com.fasterxml.jackson.dataformat.yaml.YAMLParser;
import io.pocketwatch.internal.base.ErrorWords;
import java.io.IOException;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * YAML text as a tree of texts, numbers, lists and mappings; a tag in it never makes a Java object.
 * Text that Jackson would misread is refused. Jackson takes an alias's name for a text and a key
 * without a value for an empty text, and ignores a second document.
 */
final class YamlDocument {
  /** The largest document, in bytes of a file or characters of a text: some thousands of routes. */
  static final int MAX_SIZE = 1 << 20;

  static final String TOO_LARGE = "is too large for a configuration; allowed: 1 MiB";

  private static final Pattern POSITION = Pattern.compile(" in '.*', (line \\d+, column \\d+):");
  private static final Pattern LINE = Pattern.compile("\\((?:near )?line (\\d+)");
  private static final List<String> END = List.of("<stream end>", "end of stream");
  private static final YAMLFactory YAML = YAMLFactory.builder().build();
  private static final ObjectMapper TREES = new ObjectMapper(YAML);

  private final YamlSource source;
  private final YAMLParser parser;

  /** The path of the last duplicate key; the keys below it are not reported as well. */
  private String twice = ".";

  private YamlDocument(YamlSource source, YAMLParser parser) {
    this.source = source;
    this.parser = parser;
  }

  /**
   * Reads a document, even if parts of it are wrong.
   *
   * @throws InvalidConfigurationException with all faults
   */
  static <T> T read(String yaml, String name, Function<YamlNode, T> reader) {
    YamlSource source = YamlSource.named(name).collecting();
    Optional<T> read = Optional.empty();
    try (YAMLParser parser = YAML.createParser(yaml)) {
      if (yaml.length() > MAX_SIZE) {
        throw source.refusal("", TOO_LARGE);
      }
      new YamlDocument(source, parser).check();
      read = Optional.of(reader.apply(YamlNode.root(source, TREES.readTree(yaml))));
    } catch (InvalidConfigurationException e) {
      source.note(e);
    } catch (JsonProcessingException e) {
      String problem = describe(e);
      source.note(source.refusal("", line(problem), "is not YAML: " + problem, e));
    } catch (IOException e) {
      source.note(source.refusal("", 0, "cannot be read: " + ErrorWords.of(e), e));
    }
    source.requireNone();
    return read.orElseThrow(); // empty only after a fault, which was thrown
  }

  private void check() throws IOException {
    JsonToken token = parser.nextToken();
    if (token == null || isBlank(token)) {
      throw source.refusal("", "is empty; write at least 'pocketwatch: {}'");
    }
    boolean ended = false;
    for (; token != null; token = parser.nextToken()) {
      if (ended) {
        throw refusal("holds more than one YAML document; allowed: one");
      }
      noteLine(token);
      if (parser.isCurrentAlias()) {
        // Its name stays out of the message: it may be a password without quotes.
        source.note(
            refusal(
                "an alias is not followed; write the value itself, in quotes if it begins with"
                    + " '*'"));
      } else if (isBlank(token)) {
        source.note(refusal("has no value; give it one or leave the key out"));
      }
      // The document has ended when the parser is outside all mappings and lists.
      ended = parser.getParsingContext().inRoot();
    }
  }

  private void noteLine(JsonToken token) {
    JsonStreamContext context = parser.getParsingContext();
    if (token == JsonToken.FIELD_NAME) {
      String path = path(context);
      Integer before = source.at(path, line());
      if (before != null && !path.startsWith(twice)) {
        twice = path + ".";
        source.note(refusal("the key is there twice, first in line " + before));
      }
    } else if (context.inArray() && !token.isStructEnd()) {
      source.at(path(context), line());
    }
  }

  private int line() {
    return parser.currentTokenLocation().getLineNr();
  }

  /** Whether the value has no characters at all; an empty text in quotes has two. */
  private boolean isBlank(JsonToken token) throws IOException {
    return token == JsonToken.VALUE_STRING
        && parser.getText().isEmpty()
        && parser.currentTokenLocation().getCharOffset()
            == parser.currentLocation().getCharOffset();
  }

  private InvalidConfigurationException refusal(String problem) {
    String path = path(parser.getParsingContext());
    return source.refusal(path, line(), problem, null);
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

  /** The line where the parser stopped; for what is not closed, the line where it begins. */
  private static int line(String problem) {
    List<Integer> lines =
        LINE.matcher(problem).results().map(line -> Integer.valueOf(line.group(1))).toList();
    boolean ended = END.stream().anyMatch(problem::contains);
    return lines.isEmpty() ? 0 : lines.get(ended ? 0 : lines.size() - 1);
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
