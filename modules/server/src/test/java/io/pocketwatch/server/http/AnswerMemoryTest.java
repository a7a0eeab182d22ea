// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.server.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.pocketwatch.server.http.AnswerMemory.Room;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class AnswerMemoryTest {
  private final AnswerMemory memory = new AnswerMemory(1_000);

  @Test
  void what_never_fits_is_refused_at_once_and_says_how_much_there_is() {
    try (Room all = memory.take(1_000, "a page")) {
      Problem problem = refusal(1_001);
      assertThat(problem.type()).isEqualTo(ProblemType.TOO_LARGE);
      assertThat(problem.detail()).contains("a page", "1001", "1000");
    }
  }

  @Test
  void room_that_is_given_back_is_for_those_who_wait() throws Exception {
    Room first = memory.take(900, "a page");
    CompletableFuture<Room> second =
        CompletableFuture.supplyAsync(() -> memory.take(500, "another"));
    first.keep(400);
    second.get(10, TimeUnit.SECONDS).close();
    first.close();
    first.close(); // is nothing more
    memory.take(1_000, "all").close();
  }

  @Test
  void who_needs_more_than_was_thought_keeps_what_there_is() {
    Room room = memory.take(100, "a page");
    room.keep(5_000);
    memory.take(900, "the rest").close();
  }

  private Problem refusal(long bytes) {
    return catchThrowableOfType(Problem.class, () -> memory.take(bytes, "a page"));
  }
}
