// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.store.jdbc;

import io.pocketwatch.store.Conclusion;
import io.pocketwatch.store.SettlingStore.Ending;
import java.util.function.ObjIntConsumer;

/** What can happen to a row. Each is given a number that says to which of several, or how. */
enum RowStep {
  INSERT("it is scheduled once more", 1, (it, which) -> it.insert(which, null)),
  LOAD("a loader looks, and sends", 20, RowOrder::load),
  CLAIM("a loader looks", 8, RowOrder::claim),
  CLAIM_ONE("a loader looks for it alone", 3, RowOrder::claimOne),
  PUBLISH("a sender publishes", 7, RowOrder::publish),
  SENT("a sender marks it as sent", 5, (it, which) -> it.conclude(which, Conclusion.Kind.SENT)),
  GIVE_BACK("a sender gives back", 2, (it, which) -> it.conclude(which, Conclusion.Kind.GIVE_BACK)),
  REFUSED("a sender puts off", 2, (it, which) -> it.conclude(which, Conclusion.Kind.POSTPONE)),
  UNSENDABLE("a sender parks", 1, (it, which) -> it.conclude(which, Conclusion.Kind.PARK)),
  CONCLUDE_AGAIN("a sender concludes once more", 3, RowOrder::concludeAgain),

  BEGIN("a copy comes", 30, (it, which) -> it.begin(which, false, true)),
  BEGIN_SLOW_CLOCK("a copy comes early, it seems", 3, (it, which) -> it.begin(which, true, true)),
  BEGIN_LOST("a begin's answer is lost", 3, (it, which) -> it.begin(which, false, false)),
  BEGIN_AGAIN("a begin is asked again", 4, RowOrder::beginAgain),
  BEGIN_FUTURE("a copy of the future comes", 1, RowOrder::beginFuture),
  EXTEND("a lease is renewed", 6, RowOrder::extend),
  SETTLE("a handler settles", 3, (it, which) -> it.end(which, Ending.Kind.SETTLE, true)),
  SETTLE_JOINED("a handler settles in its transaction", 2, RowOrder::settleJoined),
  FAIL("a handler fails", 8, (it, which) -> it.end(which, Ending.Kind.FAIL, true)),
  PARK("a handler parks", 3, (it, which) -> it.end(which, Ending.Kind.PARK, true)),
  POSTPONE("a handler puts off", 9, (it, which) -> it.end(which, Ending.Kind.POSTPONE, true)),
  REQUEUE("a handler gives back", 8, (it, which) -> it.end(which, Ending.Kind.REQUEUE, true)),
  END_LOST("an end's answer is lost", 6, (it, which) -> it.end(which, RowOrder.kind(which), false)),
  END_AGAIN("an end is asked again", 3, RowOrder::endAgain),
  END_WRONG("somebody else ends it", 1, RowOrder::endWrong),
  LOSE_CONNECTION("a connection is lost", 8, RowOrder::loseConnection),
  DIE("a consumer dies", 3, RowOrder::die),

  CANCEL("somebody cancels it", 1, (it, which) -> it.cancel()),
  MOVE("somebody moves it", 3, RowOrder::reschedule),
  RETRY("somebody gives it another try", 2, (it, which) -> it.retry()),
  RETURN("what is overdue returns", 2, (it, which) -> it.returnOverdue()),
  DELETE("what is finished is deleted", 1, RowOrder::deleteFinished),
  FAN_OUT("another queue gets one, too", 4, RowOrder::fanOut),
  LOSE_COPY("the broker loses a copy", 1, RowOrder::loseCopy),
  TIME("time passes", 14, (it, which) -> it.pass(1 + which % 2));

  final String words;
  final int often;
  final ObjIntConsumer<RowOrder> action;

  RowStep(String words, int often, ObjIntConsumer<RowOrder> action) {
    this.words = words;
    this.often = often;
    this.action = action;
  }
}
