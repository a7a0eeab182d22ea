// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.lab.faults;

import io.pocketwatch.lab.faults.account.Guarantees;
import io.pocketwatch.lab.faults.catalogue.Catalogue;
import io.pocketwatch.lab.faults.catalogue.Fault;
import io.pocketwatch.screen.TextTable;
import java.util.ArrayList;
import java.util.List;

/** What {@code --list} prints. */
final class FaultList {
  private FaultList() {}

  static List<String> lines() {
    TextTable table = TextTable.ofWords("fault", "nodes", "what happens");
    for (Fault fault : Catalogue.ALL) {
      table.row(fault.name(), fault.place().cluster() ? "3" : "1", fault.words());
    }
    List<String> lines = new ArrayList<>(table.lines());
    lines.add("");
    lines.add("What each may do, by tracking and type of hold queue:");
    lines.addAll(Guarantees.lines());
    return lines;
  }
}
