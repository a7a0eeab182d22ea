// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.benchmarks.peer.redis;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import redis.clients.jedis.exceptions.JedisException;

/** Goes on after an error: an executor would silently never run it again. */
record Lasting(Runnable task) implements Runnable {
  private static final Logger LOG = LoggerFactory.getLogger(Lasting.class);

  @Override
  public void run() {
    try {
      task.run();
    } catch (JedisException e) {
      LOG.warn("Redis: {}; the next poll tries again", e.toString());
    }
  }
}
