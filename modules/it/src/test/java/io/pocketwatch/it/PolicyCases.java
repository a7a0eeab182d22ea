// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.it;

import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;

/**
 * What operators set for {@code .*}: each key that RabbitMQ documents for policies and operator
 * policies of queues and exchanges, alone and in the pairs that people use.
 */
final class PolicyCases {
  private PolicyCases() {}

  /** What becomes of a policy. */
  enum Outcome {
    /** Nothing is early, lost or copied, and no start is refused. */
    IMMUNE,
    /** A publisher gets no confirm for what finds no room; nothing is early, lost or copied. */
    RECEIPT,
    /** The start is refused, and a server says so; both name effect and remedy. */
    REFUSED,
    /** A server says so, within a minute; a start may not see it. */
    TOLD,
    /** Copies of what is delivered arrive elsewhere; only the management interface shows it. */
    SHOWN
  }

  /**
   * @param key for the manual: the keys without their values
   * @param definition of the policy
   * @param operator whether there are operator policies of that kind, too
   */
  record Policy(String key, String definition, boolean operator, Outcome outcome) {
    /** Before 4.0 there is no sink of a node's own, and the other one passes nothing on. */
    Outcome outcome(String version) {
      return outcome == Outcome.SHOWN && version.startsWith("3") ? Outcome.IMMUNE : outcome;
    }
  }

  /** The rows of the manual's table, in order. */
  static List<String> rows() {
    return ALL.stream()
        .map(
            each ->
                "| `%s` | %s | %s |"
                    .formatted(
                        each.key,
                        each.operator ? "yes" : "no",
                        each.outcome.name().toLowerCase(Locale.ROOT)))
        .toList();
  }

  private static Policy policy(String key, String definition, Outcome outcome) {
    return new Policy(key, definition, false, outcome);
  }

  private static Policy both(String key, String definition, Outcome outcome) {
    return new Policy(key, definition, true, outcome);
  }

  /** The exchange that policies name, with one queue that takes everything; both have this name. */
  static final String ELSEWHERE = "policies-elsewhere";

  static final List<Policy> ALL =
      Stream.of(
              both("message-ttl, short", "{'message-ttl':100}", Outcome.REFUSED),
              both("message-ttl", "{'message-ttl':600}", Outcome.TOLD),
              both("expires", "{'expires':1500}", Outcome.TOLD),
              both("max-length", "{'max-length':3}", Outcome.RECEIPT),
              both("max-length-bytes", "{'max-length-bytes':600}", Outcome.RECEIPT),
              both("overflow", "{'overflow':'drop-head'}", Outcome.REFUSED),
              both(
                  "max-length + overflow: drop-head",
                  "{'max-length':3,'overflow':'drop-head'}",
                  Outcome.REFUSED),
              both(
                  "max-length + overflow: reject-publish",
                  "{'max-length':3,'overflow':'reject-publish'}",
                  Outcome.REFUSED),
              policy(
                  "max-length + overflow: reject-publish-dlx",
                  "{'max-length':3,'overflow':'reject-publish-dlx'}",
                  Outcome.REFUSED),
              both(
                  "max-length-bytes + overflow: drop-head",
                  "{'max-length-bytes':600,'overflow':'drop-head'}",
                  Outcome.REFUSED),
              policy(
                  "max-length, never reached, + overflow: drop-head",
                  "{'max-length':1000000,'overflow':'drop-head'}",
                  Outcome.REFUSED),
              policy(
                  "dead-letter-exchange",
                  "{'dead-letter-exchange':'" + ELSEWHERE + "'}",
                  Outcome.SHOWN),
              policy(
                  "dead-letter-exchange + dead-letter-routing-key",
                  "{'dead-letter-exchange':'"
                      + ELSEWHERE
                      + "','dead-letter-routing-key':'elsewhere'}",
                  Outcome.REFUSED),
              policy(
                  "dead-letter-exchange + message-ttl",
                  "{'dead-letter-exchange':'" + ELSEWHERE + "','message-ttl':600}",
                  Outcome.TOLD),
              policy(
                  "dead-letter-routing-key",
                  "{'dead-letter-routing-key':'elsewhere'}",
                  Outcome.REFUSED),
              policy(
                  "dead-letter-strategy",
                  "{'dead-letter-strategy':'at-most-once'}",
                  Outcome.IMMUNE),
              policy(
                  "alternate-exchange",
                  "{'alternate-exchange':'" + ELSEWHERE + "'}",
                  Outcome.IMMUNE),
              both("delivery-limit", "{'delivery-limit':1}", Outcome.IMMUNE),
              both("max-in-memory-length", "{'max-in-memory-length':1}", Outcome.IMMUNE),
              both("max-in-memory-bytes", "{'max-in-memory-bytes':1}", Outcome.IMMUNE),
              policy("queue-mode", "{'queue-mode':'lazy'}", Outcome.IMMUNE),
              both("queue-version", "{'queue-version':2}", Outcome.IMMUNE),
              policy(
                  "queue-leader-locator",
                  "{'queue-leader-locator':'client-local'}",
                  Outcome.IMMUNE),
              policy(
                  "queue-master-locator", "{'queue-master-locator':'min-masters'}", Outcome.IMMUNE),
              both("target-group-size", "{'target-group-size':3}", Outcome.IMMUNE),
              policy("initial-cluster-size", "{'initial-cluster-size':1}", Outcome.IMMUNE),
              policy("consumer-timeout", "{'consumer-timeout':1000}", Outcome.IMMUNE),
              policy(
                  "consumer-disconnected-timeout",
                  "{'consumer-disconnected-timeout':1000}",
                  Outcome.IMMUNE),
              both(
                  "delayed-retry-type",
                  "{'delayed-retry-type':'all','delayed-retry-min':1000}",
                  Outcome.IMMUNE),
              policy("ha-mode", "{'ha-mode':'all'}", Outcome.IMMUNE),
              policy("max-age", "{'max-age':'1s'}", Outcome.IMMUNE),
              policy(
                  "stream-max-segment-size-bytes",
                  "{'stream-max-segment-size-bytes':1000}",
                  Outcome.IMMUNE))
          .map(
              each ->
                  new Policy(
                      each.key, each.definition.replace('\'', '"'), each.operator, each.outcome))
          .toList();
}
