// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.testkit;

import java.util.Locale;

/** The types of queue an application may have; always declared explicitly. */
public enum QueueType {
  QUORUM,
  CLASSIC;

  /** The value of {@code x-queue-type}. */
  public String argument() {
    return name().toLowerCase(Locale.ROOT);
  }
}
