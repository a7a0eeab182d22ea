// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.server.api;

import io.javalin.http.Context;
import io.pocketwatch.screen.Json;
import io.pocketwatch.server.view.MessageView;
import java.io.IOException;
import java.io.OutputStreamWriter;
import java.io.Writer;
import java.lang.reflect.RecordComponent;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Writes a list of messages as CSV (RFC 4180): a column for each JSON field, sent line by line. */
final class MessageCsv {
  private static final Logger LOG = LoggerFactory.getLogger("serve");
  private static final List<String> COLUMNS =
      Stream.of(MessageView.class.getRecordComponents()).map(RecordComponent::getName).toList();

  /** A text that begins so would be run by a spreadsheet, as a formula. */
  private static final Pattern FORMULA = Pattern.compile("[=+@\\-\\t\\r]");

  private static final Pattern QUOTED = Pattern.compile("[\",\\r\\n]");

  private final Writer out;
  private boolean wanted = true;

  MessageCsv(Context context) {
    context
        .status(200)
        .contentType("text/csv; charset=utf-8; header=present")
        .header("Cache-Control", "no-store")
        .header("Content-Disposition", "attachment; filename=\"pocketwatch-messages.csv\"");
    this.out = new OutputStreamWriter(context.outputStream(), StandardCharsets.UTF_8);
    line(COLUMNS.stream());
  }

  void add(MessageView message) {
    Map<String, @Nullable Object> json = Json.map(message);
    line(COLUMNS.stream().map(each -> cell(json.get(each))));
  }

  /** Whether the client still reads. */
  boolean wanted() {
    return wanted;
  }

  /** Notes in the file that it is not whole: its status was sent already. */
  void brokeOff(String why) {
    line(Stream.of("\"NOT WHOLE: " + why + "\""));
  }

  private void line(Stream<String> cells) {
    try {
      out.write(cells.collect(Collectors.joining(",")) + "\r\n");
      out.flush();
    } catch (IOException e) {
      LOG.debug("Nobody takes the list any more", e);
      wanted = false;
    }
  }

  private static String cell(@Nullable Object value) {
    if (value == null || value instanceof Number) {
      return String.valueOf(value == null ? "" : value);
    }
    String text = value.toString();
    String safe = FORMULA.matcher(text).lookingAt() ? "'" + text : text;
    return QUOTED.matcher(safe).find() ? '"' + safe.replace("\"", "\"\"") + '"' : safe;
  }
}
