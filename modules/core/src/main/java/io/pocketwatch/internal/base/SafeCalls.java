// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.internal.base;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Calls to users' code whose failure must not affect the caller. */
public final class SafeCalls {
  private static final Logger LOG = LoggerFactory.getLogger(SafeCalls.class);

  private SafeCalls() {}

  /** Logs what the listener throws, also a {@link LinkageError} by classes of another version. */
  public static void tell(Runnable listener) {
    try {
      listener.run();
    } catch (RuntimeException | LinkageError e) {
      LOG.error("A listener failed; nothing else does", e);
    }
  }
}
