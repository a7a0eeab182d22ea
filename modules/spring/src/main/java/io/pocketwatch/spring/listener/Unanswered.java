// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.spring.listener;

import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.NavigableMap;
import java.util.Set;
import java.util.TreeMap;

/**
 * What listeners were given on one channel and have not acknowledged or rejected yet. All
 * deliveries pass through here, so that these are all that "multiple" means. Thread-safe.
 */
final class Unanswered {
  private final NavigableMap<Long, InHand> open = new TreeMap<>();
  private final Set<InHand> running = new HashSet<>(); // the listener has not returned
  private final Set<InHand> inVain = new HashSet<>();

  synchronized void add(InHand given) {
    open.put(given.tag(), given);
    running.add(given);
  }

  /** What an acknowledgement is about; it stays here. */
  synchronized List<InHand> meant(long tag, boolean multiple) {
    return new ArrayList<>(range(tag, multiple).values());
  }

  synchronized List<InHand> take(long tag, boolean multiple) {
    NavigableMap<Long, InHand> meant = range(tag, multiple);
    List<InHand> hands = new ArrayList<>(meant.values());
    meant.clear();
    return hands;
  }

  /** Returns those that were here: whoever takes one answers for it. */
  synchronized List<InHand> take(Collection<InHand> wanted) {
    return wanted.stream().filter(hand -> open.remove(hand.tag(), hand)).toList();
  }

  private NavigableMap<Long, InHand> range(long tag, boolean multiple) {
    return multiple && tag == 0
        ? open
        : multiple ? open.headMap(tag, true) : open.subMap(tag, true, tag, true);
  }

  /**
   * They were acknowledged in a transaction that did not commit. While the listener runs they wait:
   * a retry may acknowledge them once more, or the container reject them.
   *
   * @return those whose listener has returned
   */
  synchronized List<InHand> acknowledgedInVain(Collection<InHand> hands) {
    List<InHand> returned = new ArrayList<>(hands);
    returned.removeAll(running);
    hands.stream().filter(running::contains).forEach(inVain::add);
    return returned;
  }

  /**
   * Their listener has returned, after its last attempt.
   *
   * @return those that were acknowledged in vain
   */
  synchronized List<InHand> returned(Collection<InHand> hands) {
    running.removeAll(hands);
    return hands.stream().filter(inVain::remove).toList();
  }
}
