// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.benchmarks.harness;

/** Shows nothing. */
record Silence() implements Watch, Watch.Line {
  @Override
  public void say(String news) {}

  @Override
  public Watch.Line line(String subject, Plan plan, Ledger ledger) {
    return this;
  }

  @Override
  public void show(String what, long now, long goal) {}

  @Override
  public void close() {}
}
