// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.server.faults.catalogue;

import io.pocketwatch.route.HoldQueueType;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.TimeoutException;

/**
 * Something that can be done to a running system.
 *
 * @param name as in the guarantee table
 * @param words what happens, for a person
 * @param place where it can happen
 * @param strike does it, lets it last, and puts right what nobody else would
 */
public record Fault(String name, String words, Place place, Strike strike) {
  /** What it needs. */
  public enum Place {
    /** One node, which may lose everything. */
    NODE,
    CLUSTER
  }

  /** What is done. */
  public interface Strike {
    void at(World world) throws IOException, TimeoutException, InterruptedException;
  }

  static Fault onNode(String name, String words, Strike strike) {
    return new Fault(name, words, Place.NODE, strike);
  }

  static Fault onCluster(String name, String words, Strike strike) {
    return new Fault(name, words, Place.CLUSTER, strike);
  }

  /** Hold queues it is worth trying with: both types. */
  public List<HoldQueueType> holds() {
    return List.of(HoldQueueType.QUORUM, HoldQueueType.CLASSIC);
  }
}
