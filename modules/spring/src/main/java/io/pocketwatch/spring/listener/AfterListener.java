// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.spring.listener;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What a thread puts off until the listener it calls has returned. Spring tells of the end of a
 * transaction while that still has its connection: a thread that asks for another one then can wait
 * for others that do the same, until the pool's patience ends. For one thread.
 */
final class AfterListener {
  private static final ThreadLocal<@Nullable AfterListener> CURRENT = new ThreadLocal<>();

  private final @Nullable AfterListener outer = CURRENT.get();
  private final List<Runnable> committed = new ArrayList<>();
  private final List<Runnable> others = new ArrayList<>();

  private AfterListener() {}

  static AfterListener begin() {
    AfterListener begun = new AfterListener();
    CURRENT.set(begun);
    return begun;
  }

  /**
   * At once if this thread is not in a listener's call: that has returned, or was another's.
   *
   * @param committed goes before all that is not, as one attempt of a retry may undo another
   */
  static void run(boolean committed, Runnable work) {
    AfterListener current = CURRENT.get();
    if (current == null) {
      work.run();
    } else {
      (committed ? current.committed : current.others).add(work);
    }
  }

  /** The listener has returned, after its last attempt. */
  void end() {
    if (outer == null) {
      CURRENT.remove();
    } else {
      CURRENT.set(outer);
    }
    committed.forEach(Runnable::run);
    others.forEach(Runnable::run);
  }
}
