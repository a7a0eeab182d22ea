// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.lab.faults.account;

import io.pocketwatch.lab.faults.account.Journal.Line;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** All messages of a round, and what the journals and the database say of them. */
public final class Ledger {
  private final Map<String, Entry> entries = new LinkedHashMap<>();
  private final String prefix;

  public Ledger(Messages messages) {
    prefix = messages.prefix();
    messages.all().forEach(message -> entries.put(message.id(), new Entry(message)));
  }

  /** Lines of other rounds are passed over. */
  public void take(List<String> lines) {
    for (String text : lines) {
      Line line = Line.parse(text);
      Entry entry = entries.get(line.id());
      if (entry != null) {
        entry.take(line);
      }
    }
  }

  /** When each effect was, by id. */
  public void effects(Map<String, Long> effects) {
    effects.forEach(
        (id, at) -> {
          Entry entry = entries.get(id);
          if (entry != null) {
            entry.effect(at);
          }
        });
  }

  /** Ids whose rows are parked. */
  public void parkedInStore(Set<String> ids) {
    for (Entry entry : entries.values()) {
      if (ids.contains(entry.message().id())) {
        entry.parkedInStore();
      }
    }
  }

  /** Ids whose rows are to be sent, or wait to be handled. */
  public void rowsLeft(Set<String> ids) {
    entries.values().stream()
        .filter(entry -> ids.contains(entry.message().id()))
        .forEach(Entry::rowLeft);
  }

  /** How the ids of its messages begin. */
  public String prefix() {
    return prefix;
  }

  public int messages() {
    return entries.size();
  }

  public int confirmed() {
    return (int) entries.values().stream().filter(Entry::confirmed).count();
  }

  public int handled() {
    return (int) entries.values().stream().filter(entry -> entry.handled() != null).count();
  }

  /** Messages that are neither handled nor parked, or of which no receipt has come. */
  public int open() {
    return (int) entries.values().stream().filter(entry -> !entry.done()).count();
  }

  Collection<Entry> entries() {
    return entries.values();
  }
}
