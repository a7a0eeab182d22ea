// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.server.request;

import com.fasterxml.jackson.core.JacksonException;
import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.core.exc.StreamConstraintsException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.BinaryNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.javalin.http.Context;
import io.pocketwatch.server.http.Problem;
import io.pocketwatch.server.http.ProblemType;
import io.pocketwatch.server.http.RequestMemory;
import java.io.IOException;
import java.util.Arrays;
import java.util.Set;
import java.util.regex.Pattern;

/**
 * Reads the bodies of requests as streams. The payload of a message is not parsed into objects, but
 * passed on as its original bytes. Other values are limited in number, and counted as memory before
 * they are made.
 *
 * @param most how many bytes a body may have
 * @param batch how many messages one may have
 */
public record Bodies(int most, int batch) {
  /** The list of messages in a body with many. */
  public static final String MESSAGES = "messages";

  /** Fields of a message whose values stay bytes, as {@link BinaryNode}. */
  private static final Set<String> PAYLOADS = Set.of(NewBody.JSON, NewBody.BASE64);

  private static final Pattern TYPE =
      Pattern.compile("(?i)application/json\\s*(;\\s*charset\\s*=\\s*\"?utf-?8\"?\\s*)?;?\\s*");

  /** The source in Jackson's messages, which means nothing to the caller. */
  private static final Pattern SOURCE = Pattern.compile("\\[Source: [^;\\]]*; ([^\\]]*)\\]");

  private static final int DEEPEST = 100;
  private static final int LONGEST_TEXT = 262_144;
  private static final int MOST_VALUES = 100_000;
  private static final int VALUES_AT_ONCE = 1_000;
  private static final int BYTES_OF_A_VALUE = 128;

  private static final JsonFactory JSON =
      JsonFactory.builder()
          .streamReadConstraints(
              StreamReadConstraints.builder()
                  .maxNestingDepth(DEEPEST)
                  .maxStringLength(LONGEST_TEXT)
                  .build())
          .build();

  /** Whether the body holds no message, one or a list. */
  private enum Shape {
    NO_MESSAGE,
    MESSAGE,
    MESSAGES
  }

  /** A body that holds no message. */
  public JsonNode plain(Context context) {
    return read(context, Shape.NO_MESSAGE);
  }

  /** A body that is a message. */
  public JsonNode message(Context context) {
    return read(context, Shape.MESSAGE);
  }

  /** A body with a list of messages. */
  public JsonNode messages(Context context) {
    return read(context, Shape.MESSAGES);
  }

  /**
   * @throws Problem if it is too large, or not JSON
   */
  private JsonNode read(Context context, Shape shape) {
    if (!TYPE.matcher(String.valueOf(context.contentType())).matches()) {
      throw Problem.of(
          ProblemType.UNSUPPORTED_MEDIA_TYPE,
          "send the body as Content-Type: application/json, in UTF-8");
    }
    RequestMemory memory = RequestMemory.of(context::attribute);
    byte[] bytes = memory.body();
    if (bytes == null) {
      throw Problem.of(
          ProblemType.TOO_LARGE,
          "the body has more than %s bytes (pocketwatch.server.limits.request-size)"
              .formatted(most));
    }
    try (JsonParser parser = JSON.createParser(bytes)) {
      return new Reading(parser, bytes, memory, shape).all();
    } catch (StreamConstraintsException e) {
      throw Problem.of(
          ProblemType.MALFORMED,
          "the body is nested deeper than %s, or a text in it is longer than %s characters, or a number than 1000"
              .formatted(DEEPEST, LONGEST_TEXT));
    } catch (JacksonException e) {
      String place =
          e.getLocation() == null
              ? ""
              : " at line %s, column %s"
                  .formatted(e.getLocation().getLineNr(), e.getLocation().getColumnNr());
      throw malformed("the body is not JSON%s: %s".formatted(place, firstLine(e)));
    } catch (IOException e) {
      throw new IllegalStateException("bytes in memory can be read", e);
    }
  }

  private static Problem malformed(String detail) {
    return Problem.of(ProblemType.MALFORMED, detail);
  }

  private static String firstLine(JacksonException e) {
    String line = String.valueOf(e.getOriginalMessage()).lines().findFirst().orElse("");
    return SOURCE.matcher(line).replaceAll("$1");
  }

  private final class Reading {
    private final JsonParser parser;
    private final byte[] bytes;
    private final RequestMemory memory;
    private final Shape shape;
    private int values;

    Reading(JsonParser parser, byte[] bytes, RequestMemory memory, Shape shape) {
      this.parser = parser;
      this.bytes = bytes;
      this.memory = memory;
      this.shape = shape;
    }

    JsonNode all() throws IOException {
      if (parser.nextToken() == null) {
        throw malformed("there is no body");
      }
      if (parser.currentTokenLocation().getByteOffset() < 0) {
        throw malformed("the body is not UTF-8");
      }
      JsonNode node = value(shape);
      if (parser.nextToken() != null) {
        throw malformed("the body goes on behind its end");
      }
      return node;
    }

    /**
     * @param here whether the value is or holds messages
     */
    private JsonNode value(Shape here) throws IOException {
      count();
      JsonNodeFactory nodes = JsonNodeFactory.instance;
      return switch (parser.currentToken()) {
        case START_OBJECT -> object(here);
        case START_ARRAY -> array(here);
        case VALUE_STRING -> nodes.textNode(parser.getText());
        case VALUE_NUMBER_INT -> nodes.numberNode(parser.getBigIntegerValue());
        case VALUE_NUMBER_FLOAT -> nodes.numberNode(parser.getDecimalValue());
        case VALUE_TRUE, VALUE_FALSE -> nodes.booleanNode(parser.getBooleanValue());
        default -> nodes.nullNode();
      };
    }

    private ObjectNode object(Shape here) throws IOException {
      ObjectNode object = JsonNodeFactory.instance.objectNode();
      while (parser.nextToken() == JsonToken.FIELD_NAME) {
        String name = parser.currentName();
        JsonToken token = parser.nextToken();
        boolean payload = here == Shape.MESSAGE && PAYLOADS.contains(name);
        Shape below =
            here == Shape.MESSAGES && name.equals(MESSAGES) ? Shape.MESSAGES : Shape.NO_MESSAGE;
        JsonNode value =
            payload && token != JsonToken.VALUE_NULL ? BinaryNode.valueOf(slice()) : value(below);
        if (object.replace(name, value) != null) {
          throw malformed("the body has a field twice: " + name);
        }
      }
      return object;
    }

    private ArrayNode array(Shape here) throws IOException {
      ArrayNode array = JsonNodeFactory.instance.arrayNode();
      while (parser.nextToken() != JsonToken.END_ARRAY) {
        if (here == Shape.MESSAGES && array.size() == batch) {
          throw Problem.of(
              ProblemType.TOO_LARGE,
              "more than %s messages in one request (pocketwatch.server.limits.batch)"
                  .formatted(batch));
        }
        array.add(value(here == Shape.MESSAGES ? Shape.MESSAGE : Shape.NO_MESSAGE));
      }
      return array;
    }

    private void count() {
      if (values == MOST_VALUES) {
        throw Problem.of(
            ProblemType.TOO_LARGE,
            "more than %s values beside the bodies of messages".formatted(MOST_VALUES));
      }
      values++;
      if (values % VALUES_AT_ONCE == 0 && !memory.take(VALUES_AT_ONCE * BYTES_OF_A_VALUE)) {
        throw Problem.overloaded();
      }
    }

    /** The bytes of the present value, which is skipped. */
    private byte[] slice() throws IOException {
      int from = (int) parser.currentTokenLocation().getByteOffset();
      int to;
      if (parser.currentToken() == JsonToken.VALUE_STRING) {
        to = endOfText(from); // the parser looks for its end only when asked for the next token
      } else {
        parser.skipChildren();
        to = (int) parser.currentLocation().getByteOffset();
      }
      return Arrays.copyOfRange(bytes, from, to);
    }

    private int endOfText(int from) {
      int at = from + 1;
      while (at < bytes.length && bytes[at] != '"') {
        at += bytes[at] == '\\' ? 2 : 1;
      }
      return Math.min(at + 1, bytes.length); // if it does not end, the parser will say so
    }
  }
}
