// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.store.jdbc;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Lets calls made at the same time share a transaction: alone a call runs at once, under load the
 * next transaction carries all that came meanwhile. Has no thread of its own; one of the callers
 * runs each transaction for the others.
 */
final class Together<Q, A> {
  private static final Logger LOG = LoggerFactory.getLogger(Together.class);

  /** Answers all questions in one transaction; null for one that is to be asked alone. */
  interface Work<Q, A> {
    List<@Nullable A> run(List<Q> questions);
  }

  private final int most;
  private final int largest;
  private final Work<Q, A> work;
  private final Queue<Entry<Q, A>> waiting = new ArrayDeque<>();
  private int running;

  /**
   * @param most transactions at a time
   * @param largest how many calls may share one
   */
  Together(int most, int largest, Work<Q, A> work) {
    this.most = most;
    this.largest = largest;
    this.work = work;
  }

  private static final class Entry<Q, A> {
    final Q question;
    boolean taken;
    boolean done;
    @Nullable A answer;

    Entry(Q question) {
      this.question = question;
    }
  }

  /**
   * Waits for an answer, as any call to the database does: not to be interrupted.
   *
   * @return null if the question is to be asked alone, because the work says so or has failed
   */
  @Nullable A ask(Q question) {
    Entry<Q, A> own = new Entry<>(question);
    boolean added = false;
    while (true) {
      List<Entry<Q, A>> batch;
      synchronized (this) {
        if (!added) {
          waiting.add(own);
          added = true;
        }
        awaitTurn(own);
        if (own.done) {
          return own.answer;
        }
        batch = take();
        running++;
      }
      run(batch);
    }
  }

  /** Until there is an answer, or a transaction to be run. */
  private void awaitTurn(Entry<Q, A> own) {
    boolean interrupted = false;
    while (!own.done && (own.taken || running == most)) {
      try {
        wait();
      } catch (InterruptedException e) {
        interrupted = true;
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }

  private List<Entry<Q, A>> take() {
    List<Entry<Q, A>> batch = new ArrayList<>();
    while (batch.size() < largest && !waiting.isEmpty()) {
      Entry<Q, A> next = waiting.remove();
      next.taken = true;
      batch.add(next);
    }
    return batch;
  }

  private void run(List<Entry<Q, A>> batch) {
    List<@Nullable A> answers = List.of();
    try {
      answers = work.run(batch.stream().map(entry -> entry.question).toList());
    } catch (RuntimeException e) {
      LOG.debug("{} calls in one transaction failed; each is tried alone", batch.size(), e);
    } finally {
      synchronized (this) {
        for (int i = 0; i < batch.size(); i++) {
          batch.get(i).answer = i < answers.size() ? answers.get(i) : null;
          batch.get(i).done = true;
        }
        running--;
        notifyAll();
      }
    }
  }
}
