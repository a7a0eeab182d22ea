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
    StorePolicy policy = inherited;
    policy =
        node.apply(
            policy, "tracking", word -> word.oneOf(Tracking.values()), StorePolicy::withTracking);
    policy =
        node.apply(policy, "handoff-before", YamlNode::duration, StorePolicy::withHandoffBefore);
    policy = node.apply(policy, "consumers", YamlNode::integer, StorePolicy::withConsumers);
    policy = node.apply(policy, "insert-limit", YamlNode::integer, StorePolicy::withInsertLimit);
    return node.apply(policy, "weight", YamlNode::integer, StorePolicy::withWeight);
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
    LoaderOptions defaults = LoaderOptions.defaults();
    LoaderOptions options =
        defaults.withAt(
            node.read("at", YamlStore::timeOfDay, defaults.at()),
            node.read("zone", YamlStore::zone, defaults.zone()));
    options = node.apply(options, "every", YamlNode::duration, LoaderOptions::withEvery);
    if (node.find("every") != null && node.find("at") != null) {
      throw node.refuse("has both 'at' and 'every'; leave one of the two out");
    }
    options = node.apply(options, "lead", YamlNode::duration, LoaderOptions::withLead);
    options = node.apply(options, "sweep", YamlNode::duration, LoaderOptions::withSweep);
    options = node.apply(options, "lease", YamlNode::duration, LoaderOptions::withLease);
    options = node.apply(options, "batch", YamlNode::integer, LoaderOptions::withBatch);
    options = node.apply(options, "rate", YamlNode::integer, LoaderOptions::withRate);
    options =
        node.apply(
            options,
            "grace",
            YamlNode::duration,
            (old, grace) -> old.withPatience(grace, old.maxSilence(), old.targetPatience()));
    options =
        node.apply(
            options,
            "max-silence",
            YamlNode::duration,
            (old, silence) -> old.withPatience(old.grace(), silence, old.targetPatience()));
    options =
        node.apply(
            options,
            "target-patience",
            YamlNode::duration,
            (old, patience) -> old.withPatience(old.grace(), old.maxSilence(), patience));
    options = node.apply(options, "retention", YamlNode::duration, LoaderOptions::withRetention);
    return node.apply(
        options,
        "history",
        YamlStore::history,
        (old, history) -> old.withHistory(history.orElse(null)));
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
