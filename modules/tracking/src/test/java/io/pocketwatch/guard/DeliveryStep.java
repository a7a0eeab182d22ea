// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.guard;

import static java.time.Duration.ofMillis;
import static java.time.Duration.ofMinutes;
import static java.time.Duration.ofSeconds;

import io.pocketwatch.guard.GuardedQueueScene.Given;
import io.pocketwatch.store.StoredMessage.MessageState;
import java.util.function.ObjIntConsumer;

/** What can happen. Each is given a number that says to which of several. */
enum DeliveryStep {
  SEND("a tracked message is due", 10, (it, which) -> it.send()),
  SEND_UNTRACKED("a message without a row comes", 3, (it, which) -> it.sendUntracked()),
  SEND_EARLY("a message without a row comes early", 3, DeliveryOrder::sendEarly),
  SEND_UNKNOWN("a message comes whose row is gone", 1, (it, which) -> it.sendUnknown()),
  SEND_AGAIN("a second copy of one comes", 2, DeliveryOrder::sendAgain),
  DELIVER("the broker delivers", 22, DeliveryOrder::deliver),
  LOAD("a loader sends what is due", 3, (it, which) -> it.scene.loads()),

  RUN("one thread runs", 20, (it, which) -> it.scene.time.runOne()),
  RUN_ALL("all threads run", 8, (it, which) -> it.scene.time.runAll()),
  PASS_LITTLE("a few milliseconds pass", 8, (it, which) -> pass(it, which % 25)),
  PASS_SECONDS("a few seconds pass", 4, (it, which) -> it.scene.time.advance(ofSeconds(which % 9))),
  PASS_LEASE("more than a lease passes", 1, (it, which) -> it.scene.time.advance(ofSeconds(65))),
  PASS_PATIENCE("11 minutes pass", 1, (it, which) -> it.scene.time.advance(ofMinutes(11))),

  START("a handler begins", 6, (it, which) -> it.given(which, Given::start)),
  RETURN("a handler returns", 4, (it, which) -> it.given(which, Given::returned)),
  ACK("a consumer acknowledges", 14, (it, which) -> it.given(which, Given::ack)),
  ACK_UP_TO("a consumer acknowledges several", 3, (it, which) -> it.given(which, Given::ackUpTo)),
  REJECT("a consumer rejects", 2, (it, which) -> it.given(which, Given::reject)),
  FAIL("a consumer fails", 2, (it, which) -> it.given(which, Given::fail)),
  REQUEUE("a consumer gives back", 3, (it, which) -> it.given(which, Given::requeue)),
  DEFER(
      "a consumer defers",
      3,
      (it, which) -> it.given(which, each -> each.defer(ofSeconds(1 + which % 90)))),
  PARK("a consumer parks", 1, (it, which) -> it.given(which, Given::park)),
  SETTLE_IN("a consumer settles in a transaction", 3, DeliveryOrder::settleIn),
  ACK_LATE("a consumer acknowledges once more", 2, DeliveryOrder::answerOnceMore),

  STORE_AWAY("the store goes away", 2, (it, which) -> it.scene.store.away = true),
  STORE_BACK("the store is back", 4, (it, which) -> it.scene.store.away = false),
  LOSE_ANSWERS(
      "the store's answers get lost", 1, (it, which) -> it.scene.store.losesAnswers = true),
  GIVE_ANSWERS("the store's answers arrive", 3, (it, which) -> it.scene.store.losesAnswers = false),
  LOCK("somebody locks a row", 2, (it, which) -> it.row(which, each -> each.locked = true)),
  UNLOCK("somebody frees a row", 4, (it, which) -> it.row(which, each -> each.locked = false)),
  CANCEL_MESSAGE("somebody cancels a message", 1, DeliveryOrder::cancelMessage),
  MOVE_MESSAGE("somebody moves a message", 1, DeliveryOrder::moveMessage),
  BEGIN_BUSY(
      "no begin is asked for", 1, (it, which) -> it.scene.time.busy("pocketwatch-guard-begin")),
  BEGIN_IDLE(
      "begins are asked for", 3, (it, which) -> it.scene.time.idle("pocketwatch-guard-begin")),
  END_BUSY("no end is recorded", 1, (it, which) -> it.scene.busyWithEnds(true)),
  END_IDLE("ends are recorded", 3, (it, which) -> it.scene.busyWithEnds(false)),

  CONFIRM("the broker holds a copy again", 6, (it, which) -> it.held(which, it.scene::confirm)),
  REFUSE("the broker holds no copy", 2, (it, which) -> it.held(which, it.scene::refuse)),
  LOSE("a connection is lost", 3, DeliveryOrder::lose),
  RECOVER("a connection is lost and made anew", 2, DeliveryOrder::recover),
  CONNECT("a process consumes on a new channel", 4, DeliveryOrder::connect),
  CANCEL("a consumer is cancelled", 1, DeliveryOrder::cancel),
  CONSUME("a process consumes", 3, DeliveryOrder::consume),
  QUEUE_GONE("the broker ends a consumer", 1, DeliveryOrder::cancelByBroker),
  CLOSE_CHANNEL("a channel is closed", 1, DeliveryOrder::closeChannel),
  CLOSE("a process ends", 1, DeliveryOrder::close);

  final String words;
  final int often;
  final ObjIntConsumer<DeliveryOrder> action;

  DeliveryStep(String words, int often, ObjIntConsumer<DeliveryOrder> action) {
    this.words = words;
    this.often = often;
    this.action = action;
  }

  private static void pass(DeliveryOrder it, int millis) {
    it.scene.time.advance(ofMillis(millis));
  }

  static boolean canChange(MessageState state) {
    return state == MessageState.HELD || state == MessageState.PENDING;
  }
}
