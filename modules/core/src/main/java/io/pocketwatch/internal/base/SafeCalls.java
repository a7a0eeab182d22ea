// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.internal.base;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Calls of users' code that must change nothing for whoever calls. */
public final class SafeCalls {
  private static final Logger LOG = LoggerFactory.getLogger(SafeCalls.class);

  private SafeCalls() {}

  /**
   * What it throws is logged; a {@link LinkageError} too, which a class of another version throws.
   */
  public static void tell(Runnable listener) {
    try {
      listener.run();
    } catch (RuntimeException | LinkageError e) {
      LOG.error("A listener failed; nothing else does", e);
    }
  }
}
