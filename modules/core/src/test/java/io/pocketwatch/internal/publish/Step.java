// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.internal.publish;

import static java.time.Duration.ofMillis;
import static java.time.Duration.ofSeconds;

import com.rabbitmq.client.AMQP;
import io.pocketwatch.testing.FakeBroker.Probe;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.function.ObjIntConsumer;

/** What can happen. Each is given a number that says to which of several. */
enum Step {
  PUBLISH("somebody publishes", 12, PublishOrder::publish),
  HOLD("somebody publishes for later", 6, PublishOrder::hold),
  PUBLISH_FROM_CONTINUATION(
      "somebody will publish when a message has ended",
      2,
      (it, which) -> it.whenOneEnds(which, () -> it.publish(which))),
  PUBLISH_LATER(
      "somebody will publish after a while",
      2,
      (it, which) -> it.later(which, () -> it.publish(which))),

  RUN("one thread runs", 12, (it, which) -> it.time.runOne()),
  RUN_ALL("all threads run", 6, (it, which) -> it.time.runAll()),
  PASS_LITTLE("50 ms pass", 3, (it, which) -> it.time.advance(ofMillis(50))),
  PASS_SECONDS("a few seconds pass", 3, (it, which) -> it.time.advance(ofSeconds(which % 10))),
  PASS_LONG("31 s pass", 1, (it, which) -> it.time.advance(ofSeconds(31))),

  ACK("the broker acknowledges one", 16, (it, which) -> it.answer(which, it.broker::acks)),
  ACK_UP_TO(
      "the broker acknowledges one and all before it",
      5,
      (it, which) -> it.answer(which, it.broker::acksUpTo)),
  ACK_LATER(
      "the broker will acknowledge one after a while",
      8,
      (it, which) -> it.later(which, () -> it.answer(which, it.broker::acks))),
  NACK("the broker refuses one", 3, (it, which) -> it.answer(which, it.broker::nacks)),
  NACK_UP_TO(
      "the broker refuses one and all before it",
      1,
      (it, which) -> it.answer(which, it.broker::nacksUpTo)),
  RETURN("the broker gives one back", 3, (it, which) -> it.answer(which, it::giveBack)),

  CLOSE_CHANNEL(
      "the broker closes a channel",
      2,
      (it, which) -> it.closeChannel(which, AMQP.INTERNAL_ERROR, "INTERNAL_ERROR")),
  CLOSE_CHANNEL_UNTOLD(
      "the broker closes a channel, and the client tells nobody",
      1,
      (it, which) -> it.answer(which, each -> it.broker.closesChannelUntold(each.id()))),
  REFUSE_EXCHANGE(
      "the broker closes a channel, since nobody may publish to the exchange",
      1,
      (it, which) ->
          it.closeChannel(
              which,
              AMQP.ACCESS_REFUSED,
              "ACCESS_REFUSED - write access to exchange 'shop' in vhost '/' refused")),
  LOSE_CONNECTIONS("all connections are lost", 2, (it, which) -> it.broker.losesConnections()),
  LOSE_PUBLISH_CONNECTION(
      "the connection that publishes is lost",
      2,
      (it, which) -> it.broker.losesPublishConnection()),
  LOSE_UNNOTICED(
      "all connections are lost, which is noticed later",
      1,
      (it, which) -> it.later(which, it.broker.losesConnectionsUnnoticed())),
  LOSE_LATER(
      "all connections will be lost after a while",
      1,
      (it, which) -> it.later(which, it.broker::losesConnections)),
  GO_AWAY("the broker goes away", 1, (it, which) -> it.broker.goesAway()),
  COME_BACK("the broker is there", 2, (it, which) -> it.broker.comesBack()),
  COME_BACK_LATER(
      "the broker will be there after a while",
      1,
      (it, which) -> it.later(which, it.broker::comesBack)),
  BLOCK("the broker blocks publishers", 1, (it, which) -> it.broker.blocks("memory")),
  UNBLOCK("the broker unblocks publishers", 2, (it, which) -> it.broker.unblocks()),

  ACK_DURING_SEND(
      "the next message is acknowledged before its call returns",
      1,
      (it, which) -> it.broker.duringNextSend(() -> it.broker.acks(it.last()))),
  LOSE_DURING_SEND(
      "the connection is lost while the next message is written",
      1,
      (it, which) -> it.broker.duringNextSend(it.broker::losesConnections)),
  FAIL_DURING_SEND(
      "the next message is written half-way",
      1,
      (it, which) ->
          it.broker.duringNextSend(
              () -> {
                throw new IOException("broken pipe");
              })),
  STUCK_DURING_SEND(
      "the write of the next message is stuck",
      1,
      (it, which) ->
          it.broker.duringNextSend(
              () -> {
                it.block(HandDrivenPublisher.TIMEOUT.plusSeconds(which % 3));
                throw new IOException("Socket closed");
              })),
  CLOSE_BEFORE_SEND(
      "the channel is found closed by the next write",
      1,
      (it, which) ->
          it.broker.beforeNextSend(
              () -> it.answer(which, each -> it.broker.closesChannelUntold(each.id())))),

  LOSE_BEFORE_ANSWER(
      "all connections are lost while the next question is asked",
      1,
      (it, which) -> it.broker.beforeNextAnswer(it.broker::losesConnections)),
  SLOW_ANSWER(
      "the next question takes seconds to be answered",
      1,
      (it, which) -> it.broker.beforeNextAnswer(() -> it.block(ofSeconds(which % 15)))),
  SILENCE("the broker answers no question", 1, (it, which) -> it.broker.silent(true)),
  END_OF_SILENCE("the broker answers questions", 3, (it, which) -> it.broker.silent(false)),
  LOSE_TARGET("a target is deleted", 2, (it, which) -> it.broker.loses(it.target(which))),
  DECLARE_TARGETS("the targets are declared", 3, (it, which) -> it.declareTargets()),
  REFUSE_WHEEL(
      "the broker refuses the wheel",
      1,
      (it, which) -> it.broker.refuses(it.wheelQueue(), AMQP.PRECONDITION_FAILED, "other TTL")),
  ALLOW_WHEEL("the broker allows the wheel", 2, (it, which) -> it.broker.allows(it.wheelQueue())),
  LOSE_PROBES(
      "probes get lost or are not answered",
      1,
      (it, which) -> it.broker.probe(which % 2 == 0 ? Probe.GETS_LOST : Probe.IS_NOT_ANSWERED)),
  RETURN_PROBES("probes come back", 2, (it, which) -> it.broker.probe(Probe.COMES_BACK)),

  CLOSE("the publisher is closed", 1, (it, which) -> it.close()),
  CLOSE_LATER(
      "the publisher will be closed after a while", 1, (it, which) -> it.later(which, it::close)),
  CLOSE_WHILE_CONNECTING(
      "the publisher will be closed while it opens a connection",
      1,
      (it, which) -> it.broker.whileConnecting(it::close)),
  CLOSE_FROM_CONTINUATION(
      "the publisher will be closed when a message has ended",
      1,
      (it, which) -> it.whenOneEnds(which, it::close));

  private static final List<Duration> WHILES =
      List.of(
          Duration.ZERO, ofMillis(30), ofMillis(400), ofSeconds(2), ofSeconds(7), ofSeconds(14));

  final String words;
  final int often;
  final ObjIntConsumer<PublishOrder> action;

  Step(String words, int often, ObjIntConsumer<PublishOrder> action) {
    this.words = words;
    this.often = often;
    this.action = action;
  }

  static Duration aWhile(int which) {
    return WHILES.get(which % WHILES.size());
  }
}
