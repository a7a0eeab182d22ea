// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.server.api;

import io.pocketwatch.DelayStrategy;
import io.pocketwatch.PublishReceipt;
import io.pocketwatch.PublishReceipt.Cause;
import io.pocketwatch.internal.base.DurationText;
import io.pocketwatch.server.http.Problem;
import io.pocketwatch.server.http.ProblemOfFailure;
import io.pocketwatch.server.http.ProblemType;
import io.pocketwatch.server.view.MessageView;
import io.pocketwatch.store.MessageKey;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The outcome of one message that was to be published.
 *
 * @param status the HTTP status
 * @param receipt empty if the message was refused
 * @param problem null if it was not refused
 */
record SubmitResult(int status, Map<String, Object> receipt, @Nullable Problem problem) {
  private static final int THERE = 200;
  private static final int STORED = 201;
  private static final int HELD = 202;

  static SubmitResult refused(Problem problem) {
    return new SubmitResult(problem.type().status(), Map.of(), problem);
  }

  static SubmitResult of(PublishReceipt receipt) {
    boolean stored = receipt.strategy() == DelayStrategy.STORE;
    return switch (receipt.outcome()) {
      case CONFIRMED -> {
        int status = stored ? STORED : HELD;
        yield new SubmitResult(receipt.duplicate() ? THERE : status, json(receipt), null);
      }
      case RETURNED -> refused(Problem.of(ProblemType.UNROUTABLE, receipt.detail()));
      case UNCERTAIN -> refused(Problem.of(ProblemType.UNCERTAIN, receipt.detail()));
      case REJECTED -> refused(rejected(receipt).retryAfter(ProblemOfFailure.COME_AGAIN));
    };
  }

  private static Problem rejected(PublishReceipt receipt) {
    ProblemType type = rejection(receipt);
    return type == ProblemType.STORE_UNAVAILABLE
        ? ProblemOfFailure.storeAway(
            receipt.detail(), "nothing was stored: the store does not take it now")
        : Problem.of(type, receipt.detail());
  }

  private static ProblemType rejection(PublishReceipt receipt) {
    if (receipt.strategy() != DelayStrategy.STORE) {
      return ProblemType.BROKER_UNAVAILABLE;
    }
    return receipt.cause() == Cause.INSERT_LIMIT
        ? ProblemType.RATE_LIMITED
        : ProblemType.STORE_UNAVAILABLE;
  }

  /** The same message was there, due at this instant. */
  static SubmitResult there(MessageKey key, Instant deliverAt) {
    return new SubmitResult(
        THERE, json(key, DelayStrategy.STORE, "it was there already", deliverAt, true), null);
  }

  private static Map<String, Object> json(PublishReceipt receipt) {
    MessageKey key = new MessageKey(receipt.route(), receipt.id());
    Map<String, Object> json =
        json(key, receipt.strategy(), receipt.reason(), receipt.deliverAt(), receipt.duplicate());
    if (!receipt.spread().isZero()) {
      json.put("spread", DurationText.format(receipt.spread()));
    }
    return json;
  }

  private static Map<String, Object> json(
      MessageKey key, DelayStrategy strategy, String reason, Instant deliverAt, boolean duplicate) {
    boolean stored = strategy == DelayStrategy.STORE;
    Map<String, Object> json = new LinkedHashMap<>();
    json.put("id", key.id());
    json.put("route", key.route());
    json.put("strategy", strategy);
    json.put("reason", reason);
    json.put("deliverAt", deliverAt);
    json.put("duplicate", duplicate);
    json.put("stored", stored);
    if (stored) {
      json.put("href", MessageView.href(key));
    }
    return json;
  }

  Map<String, @Nullable Object> json() {
    Map<String, @Nullable Object> json = new LinkedHashMap<>();
    json.put("status", status);
    if (problem == null) {
      json.put("receipt", receipt);
    } else {
      json.put("problem", problem.json());
    }
    return json;
  }
}
