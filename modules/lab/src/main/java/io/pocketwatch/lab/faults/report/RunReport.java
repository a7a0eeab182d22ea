// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.lab.faults.report;

import java.util.List;

/** What a run has to say at its end. */
public interface RunReport {
  /** Whether everything was kept that was promised. */
  boolean sound();

  /** For people. */
  List<String> table();

  /** One sentence. */
  String verdict();

  /** One line of JSON. */
  String json();
}
