// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.lab.faults.catalogue;

import io.pocketwatch.config.HoldQueues.HoldQueueType;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.TimeoutException;

/**
 * Something that can be done to a running system.
 *
 * @param name as in the guarantee table
 * @param words what happens, for a person
 * @param place where it can happen
 * @param before what has to be done before the round begins
 * @param strike does it, lets it last, and puts right what nobody else would
 * @param once whether what it leaves behind would spoil the next round on the same broker
 */
public record Fault(
    String name, String words, Place place, Strike before, Strike strike, boolean once) {
  /** What it needs. */
  public enum Place {
    /** One node, which may lose everything. */
    NODE(false, false),
    /** One node whose clock can be set. Nobody can put that right: what is held would be late. */
    NODE_WITH_CLOCK(false, true),
    CLUSTER(true, false),
    /** A cluster of nodes whose clocks can be set. */
    CLUSTER_WITH_CLOCKS(true, true);

    private final boolean cluster;
    private final boolean settableClock;

    Place(boolean cluster, boolean settableClock) {
      this.cluster = cluster;
      this.settableClock = settableClock;
    }

    public boolean cluster() {
      return cluster;
    }

    public boolean settableClock() {
      return settableClock;
    }
  }

  /** What is done. */
  public interface Strike {
    void at(World world) throws IOException, TimeoutException, InterruptedException;
  }

  static Fault onNode(String name, String words, Strike strike) {
    return new Fault(name, words, Place.NODE, world -> {}, strike, false);
  }

  static Fault onCluster(String name, String words, Strike strike) {
    return new Fault(name, words, Place.CLUSTER, world -> {}, strike, false);
  }

  Fault asLastOfItsBroker() {
    return new Fault(name, words, place, before, strike, true);
  }

  /** Hold queues it is worth trying with: both types. */
  public List<HoldQueueType> holds() {
    return List.of(HoldQueueType.QUORUM, HoldQueueType.CLASSIC);
  }
}
