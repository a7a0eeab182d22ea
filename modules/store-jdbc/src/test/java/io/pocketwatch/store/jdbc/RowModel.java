// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.store.jdbc;

import io.pocketwatch.ChangeOutcome;
import io.pocketwatch.store.Conclusion;
import io.pocketwatch.store.SettlingStore.Attempts;
import io.pocketwatch.store.SettlingStore.Beginning;
import io.pocketwatch.store.SettlingStore.Begun;
import io.pocketwatch.store.SettlingStore.Begun.Verdict;
import io.pocketwatch.store.SettlingStore.Ended;
import io.pocketwatch.store.SettlingStore.Ending;
import io.pocketwatch.store.StoredMessage.MessageState;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** One message's row as ROW.md tells of it, and what the store has to answer. Time is in hours. */
final class RowModel {
  /** What a claim gives. */
  record Claimed(int generation, long fence, @Nullable String queue, boolean abandoned) {}

  int clock;

  /** Null while there is no row. */
  @Nullable MessageState state;

  int generation;
  int due;
  int next;
  @Nullable String nextQueue;
  int attempts;
  @Nullable Integer heldUntil;
  @Nullable String reason;
  private @Nullable String holder;
  private boolean consumerHolds;
  private int leaseUntil;
  private long fence;
  private @Nullable String consumer;
  private int postponed;
  private int retries;
  private boolean copyDropped;
  private boolean handedOn;
  private @Nullable Integer finishedAt;

  void insert(int at, @Nullable String publisher, int lease) {
    state = MessageState.PENDING;
    generation = 1;
    due = at;
    next = at;
    if (publisher != null) {
      hold(publisher, lease);
    }
  }

  private void hold(String who, int lease) {
    holder = who;
    leaseUntil = clock + lease;
    fence++;
  }

  private void letGo() {
    holder = null;
    consumerHolds = false;
    leaseUntil = clock;
  }

  private boolean is(MessageState one) {
    return state == one;
  }

  private boolean leased() {
    return holder != null && leaseUntil > clock;
  }

  boolean beingHandled() {
    return is(MessageState.PENDING) && consumerHolds && leased();
  }

  private boolean heldUnder(String who) {
    return is(MessageState.PENDING) && who.equals(holder);
  }

  boolean claimable(int horizon) {
    return is(MessageState.PENDING)
        && !leased()
        && next <= horizon
        && (nextQueue == null || next <= clock);
  }

  @Nullable Claimed claim(String loader, int horizon, int lease) {
    if (!claimable(horizon)) {
      return null;
    }
    if (holder != null) {
      copyPossible();
    }
    boolean abandoned = holder != null && consumerHolds;
    consumerHolds = false;
    copyDropped = false;
    hold(loader, lease);
    return new Claimed(generation, fence, nextQueue, abandoned);
  }

  private void copyPossible() {
    heldUntil(due);
  }

  private void heldUntil(int at) {
    heldUntil = heldUntil == null ? at : Math.max(heldUntil, at);
  }

  Ended conclude(
      String loader,
      Claimed claim,
      Conclusion.Kind kind,
      int heldUntil,
      int pause,
      boolean unknown) {
    if (!heldUnder(loader) || fence != claim.fence || generation != claim.generation) {
      return Ended.OVERTAKEN;
    }
    letGo();
    if (unknown && kind != Conclusion.Kind.SENT) {
      copyPossible();
    }
    switch (kind) {
      case SENT -> {
        state = MessageState.HELD;
        attempts = 0;
        heldUntil(heldUntil);
        reason = nextQueue == null ? null : reason;
      }
      case GIVE_BACK -> {}
      case POSTPONE -> {
        attempts++;
        next = clock + pause;
        reason = "refused";
      }
      case PARK -> {
        state = MessageState.PARKED;
        reason = "refused";
      }
      default -> throw new IllegalArgumentException(kind.name());
    }
    return Ended.APPLIED;
  }

  Begun begin(Beginning copy, int lease) {
    String token = copy.handling().token();
    String who = copy.handling().consumer();
    boolean mine = consumer == null || consumer.equals(who);
    boolean duplicate = mine || handedOn;
    Begun other =
        mine ? Begun.of(Verdict.LOCKED) : Begun.otherConsumer(Objects.requireNonNull(consumer));
    if (state == null) {
      return Begun.of(Verdict.UNKNOWN);
    }
    if (is(MessageState.CANCELLED)) {
      return Begun.of(Verdict.CANCELLED);
    }
    if (copy.generation() != generation) {
      return Begun.of(Verdict.OUTDATED);
    }
    if (is(MessageState.SETTLED)) {
      return duplicate ? Begun.of(Verdict.SETTLED) : other;
    }
    if (!heldUnder(token)) {
      if (copy.early() && due > clock) {
        if (!beingHandled() && (is(MessageState.PENDING) || is(MessageState.HELD))) {
          state = MessageState.PENDING; // and its row sends it in time
          letGo();
          next = due;
          nextQueue = null;
        }
        return Begun.of(Verdict.OUTDATED);
      }
      if (beingHandled()) {
        copyDropped |= duplicate;
        return Begun.of(duplicate ? Verdict.BUSY : Verdict.LOCKED);
      }
      if (is(MessageState.PENDING) && nextQueue != null && next > clock) {
        return duplicate ? Begun.of(Verdict.BUSY) : other;
      }
      copyDropped = false;
    }
    if (is(MessageState.FAILED) && !mine) {
      handedOn = true;
    }
    if (!mine) {
      postponed = 0;
      retries = 0;
    }
    state = MessageState.PENDING;
    consumer = who;
    consumerHolds = true;
    finishedAt = null;
    hold(token, lease);
    heldUntil(clock);
    return Begun.handle(new Attempts(postponed, retries));
  }

  boolean extend(String token, int lease) {
    if (heldUnder(token)) {
      leaseUntil = clock + lease;
      return true;
    }
    return false;
  }

  Ended end(String token, Ending.Kind kind, int until, String queue, boolean retry) {
    if (is(MessageState.SETTLED) && kind == Ending.Kind.SETTLE && token.equals(holder)) {
      return Ended.APPLIED;
    }
    if (!heldUnder(token)) {
      return Ended.OVERTAKEN;
    }
    boolean sendAgain = copyDropped;
    copyDropped = false;
    letGo();
    switch (kind) {
      case SETTLE -> {
        state = MessageState.SETTLED;
        holder = token;
        finishedAt = clock;
      }
      case FAIL -> {
        reason = "no stock";
        state = sendAgain ? MessageState.PENDING : MessageState.FAILED;
        next = sendAgain ? clock : next;
        finishedAt = sendAgain ? null : (Integer) clock;
        handedOn |= sendAgain; // a reject leads a copy elsewhere, and the row sends one here
      }
      case PARK -> {
        reason = "no stock";
        state = MessageState.PARKED;
      }
      case POSTPONE -> {
        reason = "no stock";
        next = until;
        nextQueue = queue;
        postponed++;
        retries += retry ? 1 : 0;
      }
      case REQUEUE -> {
        state = sendAgain ? MessageState.PENDING : MessageState.HELD;
        next = sendAgain ? clock : next;
        heldUntil = clock;
      }
    }
    return Ended.APPLIED;
  }

  private @Nullable ChangeOutcome unchangeable() {
    if (state == null) {
      return ChangeOutcome.UNKNOWN;
    }
    if (is(MessageState.SETTLED) || is(MessageState.CANCELLED)) {
      return ChangeOutcome.TOO_LATE;
    }
    return beingHandled() ? ChangeOutcome.BEING_HANDLED : null;
  }

  ChangeOutcome cancel() {
    if (is(MessageState.CANCELLED)) {
      return ChangeOutcome.DONE;
    }
    ChangeOutcome not = unchangeable();
    if (not == null) {
      copyFromBefore();
      state = MessageState.CANCELLED;
      letGo();
      finishedAt = clock;
    }
    return not == null ? ChangeOutcome.DONE : not;
  }

  private void copyFromBefore() {
    if (fence > 0) {
      copyPossible();
    }
  }

  ChangeOutcome reschedule(int to) {
    ChangeOutcome not = unchangeable();
    if (not == null) {
      anew(to);
    }
    return not == null ? ChangeOutcome.DONE : not;
  }

  private void anew(int to) {
    copyFromBefore();
    letGo();
    state = MessageState.PENDING;
    generation++;
    due = to;
    next = Math.max(to, clock);
    nextQueue = null;
    attempts = 0;
    reason = null;
    postponed = 0;
    retries = 0;
    copyDropped = false;
    handedOn = false;
    finishedAt = null;
  }

  ChangeOutcome retry() {
    ChangeOutcome not = unchangeable();
    if (not != null) {
      return not;
    }
    if (!is(MessageState.PENDING) || nextQueue != null) {
      anew(due);
    } else if (holder == null) { // else somebody sends it, or will
      attempts = 0;
      next = Math.max(due, clock);
    }
    return ChangeOutcome.DONE;
  }

  /** What was sent and not begun, while later ones were. */
  boolean returnOverdue() {
    if (is(MessageState.HELD) && due <= clock && next <= clock && heldUntil() <= clock) {
      state = MessageState.PENDING;
      letGo();
      attempts = 0;
      return true;
    }
    return false;
  }

  private int heldUntil() {
    return heldUntil == null ? Integer.MIN_VALUE : heldUntil;
  }

  boolean deleteFinished(int keep) {
    if (state != null
        && finishedAt != null
        && finishedAt <= clock - keep
        && heldUntil() <= clock - keep) {
      state = null;
      return true;
    }
    return false;
  }
}
