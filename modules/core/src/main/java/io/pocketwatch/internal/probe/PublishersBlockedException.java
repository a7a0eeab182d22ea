// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.internal.probe;

import java.io.IOException;

/** The broker takes no messages for now, of nobody: it is low on memory or disk. */
public final class PublishersBlockedException extends IOException {
  private static final long serialVersionUID = 1L;

  private final String why;

  PublishersBlockedException(String why) {
    super("the broker has blocked publishers: " + why);
    this.why = why;
  }

  /** What the broker says of it. */
  public String why() {
    return why;
  }
}
