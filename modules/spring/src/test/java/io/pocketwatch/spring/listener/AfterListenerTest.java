// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.spring.listener;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What ends in a listener is dealt with when the listener has returned. */
class AfterListenerTest {
  private final List<String> done = new ArrayList<>();

  private void run(boolean committed, String name) {
    AfterListener.run(committed, () -> done.add(name));
  }

  @Test
  void what_ends_in_no_listeners_call_is_done_at_once() throws Exception {
    run(true, "before");
    AfterListener call = AfterListener.begin();
    Thread other = new Thread(() -> run(true, "elsewhere"));
    other.start();
    other.join();
    call.end();
    run(false, "after");
    assertThat(done).containsExactly("before", "elsewhere", "after");
  }

  @Test
  void what_was_committed_goes_first() {
    AfterListener call = AfterListener.begin();
    run(false, "first attempt");
    run(true, "second attempt");
    run(true, "third attempt");
    assertThat(done).isEmpty();
    call.end();
    assertThat(done).containsExactly("second attempt", "third attempt", "first attempt");
  }

  @Test
  void a_listener_in_a_listener_waits_for_itself_only() {
    AfterListener outer = AfterListener.begin();
    AfterListener inner = AfterListener.begin();
    run(true, "inner");
    inner.end();
    run(true, "outer");
    assertThat(done).containsExactly("inner");
    outer.end();
    assertThat(done).containsExactly("inner", "outer");
  }
}
