// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.loader;

import io.pocketwatch.PublishOutcome;
import io.pocketwatch.loader.ClaimSender.SendResult;
import io.pocketwatch.store.Claim;
import io.pocketwatch.store.HandOffResult;
import io.pocketwatch.store.HandOffResult.Problem;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.stream.Stream;

/**
 * Loads a batch, whatever is in it. A message that the broker will not have closes the channel and
 * leaves its neighbours unanswered. So those are sent again in halves, down to one alone.
 */
final class LoadBatch {
  /**
   * So many that fail alone, while nothing passes, say more about the broker than of themselves.
   */
  private static final int FAILED_IN_VAIN = 5;

  private final ClaimSender sending;
  private final ResultHandler verdicts;
  private final PoisonDetector evidence;
  private final Deque<List<Claim>> groups = new ArrayDeque<>();
  private final List<Claim> again = new ArrayList<>();
  private boolean searching;
  private long since;

  LoadBatch(ClaimSender sending, ResultHandler verdicts, PoisonDetector evidence) {
    this.sending = sending;
    this.verdicts = verdicts;
    this.evidence = evidence;
  }

  void load(List<Claim> batch) {
    groups.add(batch);
    while (!groups.isEmpty()) {
      List<Claim> group = groups.remove();
      if (!go(group, group.size() == 1 && searching)) {
        return;
      }
    }
    // By now their neighbours have passed, or not: that tells whose fault it was.
    while (!again.isEmpty()) {
      List<Claim> last = List.of(again.remove(0));
      if (!goForTheLastTime(last)) {
        return;
      }
    }
  }

  /** False if the broker is away, and everything was given back. */
  private boolean go(List<Claim> group, boolean alone) {
    SendResult sent = sending.send(group, alone);
    record(sent);
    String away = sent.away();
    if (away != null) {
      giveUp(sent, away);
      return false;
    }
    List<HandOffResult> suspects = sent.suspects();
    if (suspects.isEmpty()) {
      giveBackNotTaken(sent);
      return true;
    }
    if (!searching) {
      searching = true;
      since = evidence.passes();
    }
    if (!alone) {
      halve(suspects.stream().map(HandOffResult::claim).toList());
      List<Claim> innocent = new ArrayList<>(sent.unsent());
      sent.notTaken().forEach(result -> innocent.add(result.claim()));
      if (!innocent.isEmpty()) {
        groups.addFirst(innocent);
      }
      return true;
    }
    HandOffResult failed = suspects.get(0);
    if (evidence.struck(failed.claim().key(), failed.detail(), since)) {
      verdicts.park(failed.claim(), failed.detail());
    } else {
      again.add(failed.claim());
    }
    return !searchIsInVain(failed.detail());
  }

  private boolean searchIsInVain(String reason) {
    if (again.size() < FAILED_IN_VAIN || somebodyPassed()) {
      return false;
    }
    List<Claim> back = new ArrayList<>(again);
    groups.forEach(back::addAll);
    verdicts.giveBack(back, reason);
    return true;
  }

  private boolean somebodyPassed() {
    return evidence.passes() > since;
  }

  private void halve(List<Claim> suspects) {
    int half = suspects.size() / 2;
    groups.addFirst(suspects.subList(half, suspects.size()));
    if (half > 0) {
      groups.addFirst(suspects.subList(0, half));
    }
  }

  private boolean goForTheLastTime(List<Claim> one) {
    SendResult sent = sending.send(one, true);
    record(sent);
    String away = sent.away();
    if (away != null) {
      giveUp(sent, away);
      return false;
    }
    giveBackNotTaken(sent);
    for (HandOffResult result : sent.suspects()) {
      if (evidence.struck(result.claim().key(), result.detail(), since)) {
        verdicts.park(result.claim(), result.detail());
      } else if (somebodyPassed()) {
        verdicts.unproved(result.claim(), result.detail());
      } else {
        verdicts.giveBack(one, result.detail());
      }
    }
    return true;
  }

  private void record(SendResult sent) {
    List<HandOffResult> confirmed = new ArrayList<>();
    verdicts.uncertain(mayBeThere(sent));
    for (HandOffResult result : sent.results()) {
      if (result.confirmed()) {
        evidence.passed(result.claim().key());
        confirmed.add(result);
      } else if (result.problem() == Problem.MESSAGE) {
        verdicts.park(result.claim(), result.detail());
      } else if (result.problem() == Problem.TARGET) {
        verdicts.targetMissing(result.claim(), result.detail());
      } else if (result.problem() == Problem.REFUSED) {
        verdicts.refused(result.claim(), result.detail());
      } else if (result.problem() == Problem.UNFORESEEN) {
        verdicts.unforeseen(result.claim(), result.detail());
      } else if (result.problem() == Problem.HOLD) {
        verdicts.notHeld(result.claim(), result.detail());
      }
    }
    verdicts.confirmed(confirmed);
  }

  /**
   * What was not answered, and what one queue refused, but not perhaps another, or that one's disk.
   */
  private static List<Claim> mayBeThere(SendResult sent) {
    Stream<HandOffResult> nacked =
        sent.results().stream()
            .filter(
                result ->
                    result.problem() == Problem.REFUSED
                        || result.problem() == Problem.HOLD
                            && result.outcome() == PublishOutcome.UNCERTAIN);
    return Stream.concat(sent.suspects().stream(), nacked).map(HandOffResult::claim).toList();
  }

  /** The broker answers, but does not want them now. */
  private void giveBackNotTaken(SendResult sent) {
    List<Claim> back = new ArrayList<>(sent.unsent());
    sent.notTaken().forEach(result -> back.add(result.claim()));
    if (!back.isEmpty()) {
      String why = sent.notTaken().isEmpty() ? "not sent" : sent.notTaken().get(0).detail();
      verdicts.giveBack(back, why);
    }
  }

  private void giveUp(SendResult sent, String away) {
    List<Claim> back = new ArrayList<>(sent.unsent());
    sent.notTaken().forEach(result -> back.add(result.claim()));
    sent.suspects().forEach(result -> back.add(result.claim()));
    groups.forEach(back::addAll);
    back.addAll(again);
    verdicts.away(back, away);
  }
}
