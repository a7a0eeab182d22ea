// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.internal.handoff;

import io.pocketwatch.ChangeOutcome;
import io.pocketwatch.store.Claim.Lease;
import io.pocketwatch.store.MessageKey;
import io.pocketwatch.store.MessageQuery;
import io.pocketwatch.store.ScheduledMessage;
import io.pocketwatch.store.SchedulingStore;
import io.pocketwatch.store.SchedulingStore.InsertOutcome;
import io.pocketwatch.store.SchedulingStore.MessageChange;
import io.pocketwatch.store.StoreException.PartlyChangedException;
import io.pocketwatch.store.StoredMessage;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** A publisher's store: rows that are changed through it are handed off at once, if near due. */
public final class HandOffStore implements SchedulingStore {
  private final SchedulingStore store;
  private final Consumer<MessageKey> rowChanged;
  private final Consumer<String> routeChanged;

  /**
   * @param rowChanged takes a message that was rescheduled or retried
   * @param routeChanged takes a route whose messages were
   */
  public HandOffStore(
      SchedulingStore store, Consumer<MessageKey> rowChanged, Consumer<String> routeChanged) {
    this.store = store;
    this.rowChanged = rowChanged;
    this.routeChanged = routeChanged;
  }

  @Override
  public List<InsertOutcome> insert(List<ScheduledMessage> batch, @Nullable Lease lease) {
    return store.insert(batch, lease);
  }

  @Override
  public Optional<StoredMessage> find(MessageKey key) {
    return store.find(key);
  }

  @Override
  public List<StoredMessage> list(MessageQuery query) {
    return store.list(query);
  }

  @Override
  public long count(MessageQuery query) {
    return store.count(query);
  }

  @Override
  public ChangeOutcome cancel(MessageKey key, @Nullable String actor) {
    return store.cancel(key, actor);
  }

  @Override
  public ChangeOutcome reschedule(MessageKey key, Instant deliverAt, @Nullable String actor) {
    return handOff(key, store.reschedule(key, deliverAt, actor));
  }

  @Override
  public ChangeOutcome retry(MessageKey key, @Nullable String actor) {
    return handOff(key, store.retry(key, actor));
  }

  @Override
  public ManyChanged changeMany(MessageQuery filter, MessageChange change, @Nullable String actor) {
    try {
      return handOff(change, store.changeMany(filter, change, actor));
    } catch (PartlyChangedException e) {
      handOff(change, e.done());
      throw e;
    }
  }

  private ManyChanged handOff(MessageChange change, ManyChanged changed) {
    if (change.kind() != MessageChange.Kind.CANCEL) {
      changed.routes().forEach(routeChanged);
    }
    return changed;
  }

  private ChangeOutcome handOff(MessageKey key, ChangeOutcome outcome) {
    if (outcome == ChangeOutcome.DONE) {
      rowChanged.accept(key);
    }
    return outcome;
  }
}
