// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.lab.faults.catalogue;

import com.rabbitmq.client.Channel;
import io.pocketwatch.lab.faults.process.Child;
import io.pocketwatch.localbroker.BrokerNode;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeoutException;

/** What a fault can lay its hands on. Used by one fault at a time. */
public interface World {
  /** The only node, or the first of a cluster. */
  default BrokerNode node() {
    return nodes().get(0);
  }

  List<BrokerNode> nodes();

  /** Between all processes and the broker. */
  Network network();

  Child publisher();

  Child consumer();

  Child loader();

  /** Starts one more loader, until it is closed. */
  Child oneMoreLoader();

  /** Kills the database and starts it again, or stops it in order where a kill would forget. */
  void disturbDatabase();

  /** Freezes the database (SIGSTOP): connections stay, nothing answers. */
  void pauseDatabase();

  /** Lets it go on. */
  void resumeDatabase();

  /** Sets the clock of the publishing process forward, or back. */
  void stepClock(Duration by) throws IOException;

  /** Declares the exchange and queues of the run anew, which a fault has taken away. */
  void declareTargets() throws IOException, TimeoutException;

  /** Works on the broker as an operator would, past the network that may be broken. */
  void asOperator(Task task) throws IOException, TimeoutException;

  /** How the names of our exchanges and queues begin. */
  String namePrefix();

  /** Lets a state last; in a brief run a quarter of it. */
  void last(Duration duration) throws InterruptedException;

  /** Which of several; repeated by the seed. */
  int any(int bound);

  /** A word for the person who watches. */
  void say(String words);

  /** Connections between the processes of a run and its broker. */
  interface Network {
    /** Resets all connections, and every new one until it is mended. */
    void cut();

    /** Keeps connections and lets nothing through, until it is mended. */
    void stall();

    void mend();
  }

  /** Work on a channel. */
  interface Task {
    void on(Channel channel) throws IOException;
  }
}
