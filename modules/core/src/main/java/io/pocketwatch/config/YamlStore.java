// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.config;

import io.pocketwatch.config.StorePolicy.Tracking;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.LocalTime;
import java.time.ZoneId;
import java.util.List;
import java.util.Optional;

/** The keys about what is kept in the database, and when it is loaded. */
final class YamlStore {
  /** The keys of a route, or of the defaults, that this class reads. */
  static final List<String> POLICY_KEYS =
      List.of("tracking", "handoff-before", "consumers", "insert-limit", "weight");

  private YamlStore() {}

  static StorePolicy policy(YamlNode node, StorePolicy inherited) {
    StorePolicy.Builder policy = inherited.toBuilder();
    node.set("tracking", word -> word.oneOf(Tracking.values()), policy::tracking);
    node.set("handoff-before", YamlNode::duration, policy::handoffBefore);
    node.set("consumers", YamlNode::integer, policy::consumers);
    node.set("insert-limit", YamlNode::integer, policy::insertLimit);
    node.set("weight", YamlNode::integer, policy::weight);
    return policy.build();
  }

  static LoaderOptions loader(YamlNode node) {
    node.allow(
        "at",
        "zone",
        "every",
        "lead",
        "sweep",
        "lease",
        "batch",
        "rate",
        "grace",
        "max-silence",
        "target-patience",
        "retention",
        "history");
    LoaderOptions.Builder options = LoaderOptions.builder();
    node.set("at", YamlStore::timeOfDay, options::at);
    node.set("zone", YamlStore::zone, options::zone);
    node.set("every", YamlNode::duration, options::every);
    if (node.find("every") != null && node.find("at") != null) {
      throw node.refuse("has both 'at' and 'every'; leave one of the two out");
    }
    node.set("lead", YamlNode::duration, options::lead);
    node.set("sweep", YamlNode::duration, options::sweep);
    node.set("lease", YamlNode::duration, options::lease);
    node.set("batch", YamlNode::integer, options::batch);
    node.set("rate", YamlNode::integer, options::rate);
    node.set("grace", YamlNode::duration, options::grace);
    node.set("max-silence", YamlNode::duration, options::maxSilence);
    node.set("target-patience", YamlNode::duration, options::targetPatience);
    node.set("retention", YamlNode::duration, options::retention);
    node.set("history", YamlStore::history, history -> options.history(history.orElse(null)));
    return options.build();
  }

  private static Optional<Duration> history(YamlNode node) {
    return node.is("forever") ? Optional.empty() : Optional.of(node.duration());
  }

  private static LocalTime timeOfDay(YamlNode node) {
    try {
      return LocalTime.parse(node.text());
    } catch (DateTimeException e) {
      throw node.refuse("'" + node.text() + "' is not a time of day; write for example \"00:00\"");
    }
  }

  private static ZoneId zone(YamlNode node) {
    try {
      return ZoneId.of(node.text());
    } catch (DateTimeException e) {
      throw node.refuse("'" + node.text() + "' is not a zone; write for example Europe/Berlin");
    }
  }
}
