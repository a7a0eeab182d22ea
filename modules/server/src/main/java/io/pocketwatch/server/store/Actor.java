// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.server.store;

/** Who changes messages from the command line. */
public final class Actor {
  private Actor() {}

  /** The user of the operating system, as it is kept with a message. */
  public static String ofThisProcess() {
    return "cli:" + System.getProperty("user.name", "unknown");
  }
}
