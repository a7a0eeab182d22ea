// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.localbroker;

/** Thrown if a source cannot supply what is wanted: why, and what a person could do about it. */
final class RungRefusedException extends Exception {

  private static final long serialVersionUID = 1L;

  private final String why;
  private final String remedy;
  private final boolean pluginMissing;

  RungRefusedException(String why, String remedy) {
    this(why, remedy, false);
  }

  private RungRefusedException(String why, String remedy, boolean pluginMissing) {
    super(why);
    this.why = why;
    this.remedy = remedy;
    this.pluginMissing = pluginMissing;
  }

  static RungRefusedException pluginMissing(String why, String remedy) {
    return new RungRefusedException(why, remedy, true);
  }

  String why() {
    return why;
  }

  String remedy() {
    return remedy;
  }

  boolean isPluginMissing() {
    return pluginMissing;
  }
}
