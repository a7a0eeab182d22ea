// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.internal.probe;

import java.io.IOException;

/** The broker has blocked all publishers: it is low on memory or disk. */
public final class PublishersBlockedException extends IOException {
  private static final long serialVersionUID = 1L;

  private final String why;

  PublishersBlockedException(String why) {
    super("the broker has blocked publishers: " + why);
    this.why = why;
  }

  /** The broker's reason. */
  public String why() {
    return why;
  }
}
