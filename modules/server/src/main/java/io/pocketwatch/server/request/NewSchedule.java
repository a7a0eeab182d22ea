// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.server.request;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.pocketwatch.config.InvalidConfigurationException;
import io.pocketwatch.internal.base.ErrorWords;
import io.pocketwatch.schedule.Schedule;
import io.pocketwatch.server.http.Problem;
import io.pocketwatch.server.http.ProblemType;
import io.pocketwatch.server.view.ScheduleContent;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Reads the definition of a schedule: the keys are those of YAML, and a body is as in messages. */
public final class NewSchedule {
  private static final String ROUTE = "route";
  private static final String TEXT = "bodyText";
  private static final List<String> FIELDS =
      List.of(
          "cron",
          "every",
          "zone",
          "starts",
          "ends",
          "times",
          "jitter",
          "catchUp",
          "catchUpWindow",
          "overlap",
          "gap",
          "repeated",
          ROUTE,
          "exchange",
          "routingKey",
          "contentType",
          "headers",
          "businessKey");

  private NewSchedule() {}

  /**
   * @param route its route if it names none; or null to refuse that
   * @throws Problem naming the field that is wrong
   */
  public static Schedule read(String name, Fields fields, @Nullable String route) {
    ObjectNode tree = JsonNodeFactory.instance.objectNode();
    for (String field : FIELDS) {
      JsonNode value = fields.value(field);
      if (value != null) {
        requireUnicode(fields, field, value);
        tree.set(ScheduleContent.keyOfYaml(field), value);
      }
    }
    if (route != null && !tree.has(ROUTE)) {
      tree.put(ROUTE, route);
    }
    String text = fields.text(TEXT);
    boolean payload = fields.has(NewBody.JSON) || fields.value(NewBody.BASE64) != null;
    if (text != null && payload) {
      throw fields.refuse(TEXT, "cannot be given together with body or bodyBase64");
    }
    NewBody body = payload ? NewBody.read(fields) : null;
    fields.requireNoOther();
    String source = "schedule '" + name + "'";
    try {
      Schedule schedule = Schedule.fromJson(name, tree.toString());
      if (text != null) {
        schedule = schedule.toBuilder().body(text).build();
      }
      return body == null
          ? schedule
          : schedule.toBuilder().body(body.bytes()).contentType(body.contentType()).build();
    } catch (InvalidConfigurationException e) {
      throw refuse(e, source);
    } catch (IllegalArgumentException e) {
      throw Problem.at(ProblemType.INVALID_FIELD, "", ErrorWords.of(e));
    }
  }

  private static void requireUnicode(Fields fields, String field, JsonNode value) {
    if (!Fields.isUnicode(value.isTextual() ? value.textValue() : value.toString())) {
      throw fields.refuse(field, Fields.NOT_UNICODE);
    }
  }

  private static Problem refuse(InvalidConfigurationException e, String source) {
    String message = ErrorWords.of(e);
    String where = source + ": " + (e.key().isEmpty() ? "" : e.key() + ": ");
    String problem = message.startsWith(where) ? message.substring(where.length()) : message;
    String field = ScheduleContent.fieldOfJson(e.key());
    return field.isEmpty()
        ? Problem.at(ProblemType.INVALID_FIELD, "", problem)
        : Problem.at(
            ProblemType.INVALID_FIELD, "/" + field.replace('.', '/'), field + ": " + problem);
  }
}
