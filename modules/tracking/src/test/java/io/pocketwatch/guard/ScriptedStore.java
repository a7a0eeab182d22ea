// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.guard;

import io.pocketwatch.store.MessageKey;
import io.pocketwatch.store.SettlingStore;
import io.pocketwatch.store.SettlingStore.Begun.Verdict;
import io.pocketwatch.store.SettlingStore.Ending.Kind;
import io.pocketwatch.store.StoreException;
import io.pocketwatch.store.StoredMessage.MessageState;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Rows in memory, by the rules of {@link SettlingStore}, and a store that is as the test says. */
final class ScriptedStore implements SettlingStore {
  /** What is kept of a message. */
  static final class Row {
    final MessageKey key;
    int generation = 1;
    MessageState state = MessageState.HELD;
    @Nullable Instant nextAt;

    /** Whose it is; null before anybody has begun it. */
    @Nullable String consumer;

    @Nullable String token;
    Instant leaseUntil = Instant.EPOCH;
    @Nullable String settledBy;
    int postponed;
    int retries;
    boolean locked;
    boolean heldByBroker;

    /** Whose it is, if it is not this queue's. */
    @Nullable String other;

    @Nullable Kind lastEnding;

    /** Another copy came while it was handled, and was dropped. */
    boolean hasSkipped;

    @Nullable String reason;

    @Override
    public String toString() {
      return "%s %s token %s, last %s, next %s, generation %s"
          .formatted(key.id(), state, token, lastEnding, nextAt, generation);
    }

    Row(MessageKey key) {
      this.key = key;
    }

    void become(MessageState next, @Nullable Instant at) {
      state = next;
      nextAt = at;
    }

    boolean isOver() {
      return state == MessageState.SETTLED
          || state == MessageState.CANCELLED
          || state == MessageState.PARKED;
    }
  }

  final Map<MessageKey, Row> rows = new LinkedHashMap<>();

  /** What it was asked for, in order. */
  final List<String> calls = new ArrayList<>();

  final Set<String> tokensEnded = new HashSet<>();
  private final InstantSource clock;
  boolean away;

  /** Does what it is asked for, and the answer gets lost. */
  boolean losesAnswers;

  ScriptedStore(InstantSource clock) {
    this.clock = clock;
  }

  Row add(String id) {
    MessageKey key = new MessageKey("route", id);
    Row row = new Row(key);
    rows.put(key, row);
    return row;
  }

  Row row(String id) {
    return rows.get(new MessageKey("route", id));
  }

  private void requireThere() {
    if (away) {
      throw new StoreException("the store is away");
    }
  }

  private <T> T answer(T answer) {
    if (losesAnswers) {
      throw new StoreException("the answer is lost");
    }
    return answer;
  }

  @Override
  public List<Begun> begin(List<Beginning> copies, Duration lease) {
    requireThere();
    calls.add("begin " + copies.stream().map(each -> each.handling().key().id()).toList());
    return answer(copies.stream().map(each -> begin(each, lease)).toList());
  }

  private Begun begin(Beginning copy, Duration lease) {
    Row row = rows.get(copy.handling().key());
    String token = copy.handling().token();
    String consumer = copy.handling().consumer();
    if (row == null) {
      return Begun.of(Verdict.UNKNOWN);
    } else if (row.locked) {
      return Begun.of(Verdict.LOCKED);
    } else if (row.state == MessageState.CANCELLED) {
      return Begun.of(Verdict.CANCELLED);
    } else if (row.generation != copy.generation()) {
      return Begun.of(Verdict.OUTDATED);
    } else if (row.other != null) {
      return Begun.otherConsumer(row.other);
    }
    boolean own = row.consumer == null || row.consumer.equals(consumer);
    if (row.state == MessageState.SETTLED || row.state == MessageState.PARKED) {
      return own ? Begun.of(Verdict.SETTLED) : Begun.otherConsumer(row.consumer);
    } else if (row.token != null
        && !row.token.equals(token)
        && clock.instant().isBefore(row.leaseUntil)) {
      row.hasSkipped |= own;
      return Begun.of(own ? Verdict.BUSY : Verdict.LOCKED);
    } else if (row.nextAt != null && clock.instant().isBefore(row.nextAt)) {
      return own ? Begun.of(Verdict.OUTDATED) : Begun.otherConsumer(row.consumer);
    }
    if (copy.early() && row.heldByBroker) {
      return Begun.of(Verdict.EARLY);
    }
    row.hasSkipped &= token.equals(row.token);
    row.token = token;
    row.consumer = consumer;
    row.leaseUntil = clock.instant().plus(lease);
    return Begun.handle(new Attempts(row.postponed, row.retries));
  }

  @Override
  public List<Ended> end(List<Ending> endings) {
    requireThere();
    calls.add(
        "end "
            + endings.stream()
                .map(each -> each.kind() + " " + each.handling().key().id())
                .toList());
    return answer(endings.stream().map(this::end).toList());
  }

  /** A transaction of a handler's on the database; its row is locked until it ends. */
  final class Transaction {
    private @Nullable Row row;
    private String token = "";

    void commit() {
      end(true);
    }

    void rollBack() {
      end(false);
    }

    private void end(boolean committed) {
      Row settled = row;
      if (settled == null) {
        return;
      }
      row = null;
      settled.locked = false;
      if (committed) {
        settled.token = null;
        settled.lastEnding = Kind.SETTLE;
        settled.settledBy = token;
        settled.become(MessageState.SETTLED, null);
        tokensEnded.add(token);
      }
    }
  }

  @Override
  public boolean settleIn(Object transaction, Handling handling) {
    requireThere();
    Row row = rows.get(handling.key());
    if (row == null || !handling.token().equals(row.token)) {
      return false;
    }
    row.locked = true;
    Transaction joined = (Transaction) transaction;
    joined.row = row;
    joined.token = handling.token();
    return true;
  }

  private Ended end(Ending ending) {
    Row row = rows.get(ending.handling().key());
    String token = ending.handling().token();
    if (row == null) {
      return Ended.OVERTAKEN;
    } else if (row.locked) {
      return Ended.LOCKED;
    } else if ((ending.kind() == Kind.SETTLE || ending.kind() == Kind.SETTLED_IN)
        && token.equals(row.settledBy)) {
      return Ended.APPLIED;
    } else if (ending.kind() == Kind.SETTLED_IN) {
      return Ended.OVERTAKEN;
    } else if (!token.equals(row.token)) {
      return Ended.OVERTAKEN;
    }
    row.token = null;
    row.lastEnding = ending.kind();
    row.reason = ending.reason();
    tokensEnded.add(token);
    switch (ending.kind()) {
      case SETTLE -> {
        row.settledBy = token;
        row.become(MessageState.SETTLED, null);
      }
      case FAIL -> {
        if (row.nextAt == null) { // else it is sent again anyway
          row.become(MessageState.FAILED, null);
        }
        sendSkipped(row);
      }
      case PARK -> row.become(MessageState.PARKED, null);
      case POSTPONE -> {
        row.become(MessageState.PENDING, ending.postponement().until());
        row.postponed++;
        row.retries += ending.postponement().retry() ? 1 : 0;
      }
      case REQUEUE -> sendSkipped(row);
      case SETTLED_IN -> throw new AssertionError("it ends nothing");
    }
    return Ended.APPLIED;
  }

  private void sendSkipped(Row row) {
    if (row.hasSkipped) {
      row.become(MessageState.PENDING, clock.instant());
    }
  }

  @Override
  public List<Boolean> extend(List<Handling> handlings, Duration lease) {
    requireThere();
    calls.add("extend " + handlings.stream().map(each -> each.key().id()).sorted().toList());
    return answer(handlings.stream().map(each -> extend(each, lease)).toList());
  }

  private boolean extend(Handling handling, Duration lease) {
    Row row = rows.get(handling.key());
    if (row == null || !handling.token().equals(row.token)) {
      return false;
    }
    row.leaseUntil = clock.instant().plus(lease);
    return true;
  }

  @Override
  public Instant now() {
    requireThere();
    return clock.instant();
  }
}
