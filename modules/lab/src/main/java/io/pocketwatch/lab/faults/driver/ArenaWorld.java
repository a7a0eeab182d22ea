// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.lab.faults.driver;

import io.pocketwatch.lab.faults.catalogue.World;
import io.pocketwatch.lab.faults.process.Child;
import io.pocketwatch.lab.faults.process.Order;
import io.pocketwatch.localbroker.BrokerNode;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;

/** What a fault can lay its hands on in an arena. */
final class ArenaWorld implements World {
  private static final int BRIEF = 4;

  private final Arena arena;
  private final Random random;
  private final boolean brief;
  private final Consumer<String> listener;

  ArenaWorld(Arena arena, Random random, boolean brief, Consumer<String> listener) {
    this.arena = arena;
    this.random = random;
    this.brief = brief;
    this.listener = listener;
  }

  @Override
  public List<BrokerNode> nodes() {
    return arena.nodes.all();
  }

  @Override
  public Network network() {
    return arena.nodes;
  }

  @Override
  public Child publisher() {
    return arena.publisher;
  }

  @Override
  public Child consumer() {
    return arena.consumer;
  }

  @Override
  public Child loader() {
    return arena.loader;
  }

  @Override
  public Child oneMoreLoader() {
    return arena.oneMoreLoader();
  }

  @Override
  public void disturbDatabase() {
    arena.database.disturb();
  }

  @Override
  public void pauseDatabase() {
    arena.database.pause();
  }

  @Override
  public void resumeDatabase() {
    arena.database.resume();
  }

  @Override
  public void stepClock(Duration by) throws IOException {
    Order.clock(arena.orders, by);
  }

  @Override
  public void declareTargets() throws IOException, TimeoutException {
    Targets.declare(arena.nodes.all());
  }

  @Override
  public void asOperator(Task task) throws IOException, TimeoutException {
    Targets.on(arena.node(), task);
  }

  @Override
  public String namePrefix() {
    return arena.namePrefix();
  }

  @Override
  public void last(Duration duration) throws InterruptedException {
    TimeUnit.MILLISECONDS.sleep(duration.toMillis() / (brief ? BRIEF : 1));
  }

  @Override
  public int any(int bound) {
    synchronized (random) {
      return random.nextInt(bound);
    }
  }

  @Override
  public void say(String words) {
    listener.accept(words);
  }
}
