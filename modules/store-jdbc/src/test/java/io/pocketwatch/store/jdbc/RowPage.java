// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.store.jdbc;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** The table of stations in ROW.md, as it stands there. */
final class RowPage {
  /** What stands under From or To and is no way of a row. */
  static final String SAME = "the same";

  private static final Path PAGE = Path.of("../tracking/ROW.md");
  private static final String HEAD = "| Station | Statement | From | To |";
  private static final String NONE = "none";
  private static final String ALL_BUT = "all but ";
  private static final Pattern CODE = Pattern.compile("`([^`]+)`");

  /** Kinds of a station that the code does not know by a name. */
  private static final List<String> WORDS = List.of("early", "lease");

  /**
   * One line of the table.
   *
   * @param names what the code calls it; several where two calls do the same
   * @param statement class and member of store-jdbc; empty if it changes nothing
   * @param from in which ways it applies
   * @param to how it leaves the row; empty if it changes nothing
   */
  record Station(List<String> names, String statement, Set<String> from, String to) {}

  private RowPage() {}

  /**
   * @param ways all that a row can be in
   */
  static List<Station> stations(Set<String> ways) {
    List<String> lines;
    try {
      lines = Files.readAllLines(PAGE);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    int head = 0;
    while (!lines.get(head).startsWith(HEAD)) {
      head++;
    }
    return lines.stream()
        .skip(head + 2)
        .takeWhile(line -> line.startsWith("|"))
        .map(line -> station(line, ways))
        .toList();
  }

  private static Station station(String line, Set<String> ways) {
    List<String> cells = Arrays.stream(line.split("\\|")).skip(1).map(String::strip).toList();
    List<String> statement = code(cells.get(1));
    return new Station(
        Stream.of(cells.get(0).split(", ")).map(RowPage::name).toList(),
        statement.isEmpty() ? "" : statement.get(0),
        from(cells.get(2), ways),
        to(cells.get(3), ways));
  }

  /** The words of the code in it, and what else tells it from others. */
  private static String name(String cell) {
    return Stream.concat(
            code(cell).stream(), WORDS.stream().filter(word -> cell.contains(" " + word)))
        .collect(Collectors.joining(" "));
  }

  private static List<String> code(String cell) {
    return CODE.matcher(cell).results().map(found -> found.group(1)).toList();
  }

  private static Set<String> from(String cell, Set<String> ways) {
    boolean allBut = cell.startsWith(ALL_BUT);
    Set<String> named = new LinkedHashSet<>();
    for (String each : (allBut ? cell.substring(ALL_BUT.length()) : cell).split(", ")) {
      String way = each.replace("`", "");
      if (ways.contains(way)) {
        named.add(way);
      } else if (!way.equals(NONE)) {
        throw new AssertionError("ROW.md names no way '" + each + "' of a row: " + cell);
      }
    }
    return allBut
        ? ways.stream().filter(way -> !named.contains(way)).collect(Collectors.toSet())
        : named;
  }

  /** The longest way that it begins with; more may be said of it behind that. */
  private static String to(String cell, Set<String> ways) {
    String said = cell.replace("`", "");
    if (said.equals(NONE)) {
      return "";
    }
    Matcher first = Pattern.compile("[A-Za-z ]+").matcher(said);
    String words = first.lookingAt() ? first.group().strip() : "";
    return Stream.concat(ways.stream(), Stream.of(SAME))
        .filter(way -> words.equals(way) || words.startsWith(way + " "))
        .findFirst()
        .orElseThrow(() -> new AssertionError("ROW.md leads to no way of a row: " + cell));
  }
}
