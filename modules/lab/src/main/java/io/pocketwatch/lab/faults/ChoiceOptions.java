// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.lab.faults;

import io.pocketwatch.config.HoldQueues.HoldQueueType;
import io.pocketwatch.internal.base.ErrorWords;
import io.pocketwatch.lab.faults.catalogue.Catalogue;
import io.pocketwatch.lab.faults.catalogue.Fault;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** Which faults, and with which hold queues. */
final class ChoiceOptions {
  private static final Set<String> DATABASE = Set.of("database-killed", "database-paused");

  @Spec(Spec.Target.MIXEE)
  private CommandSpec spec;

  @Option(
      names = "--faults",
      paramLabel = "A,B",
      split = ",",
      description = "Which; --list names them. Default all.")
  private @Nullable List<String> names;

  @Option(
      names = "--hold",
      paramLabel = "TYPE",
      description = "quorum or classic hold queues; default both, in turn.")
  private @Nullable String hold;

  boolean given() {
    return names != null;
  }

  /**
   * The chosen ones.
   *
   * @param givenDatabase whether the database is somebody else's
   */
  List<Fault> faults(boolean givenDatabase) {
    if (names == null) {
      return possible(Catalogue.ALL, givenDatabase);
    }
    return named(spec, names, givenDatabase);
  }

  /** Without what must not be done to somebody else's database. */
  static List<Fault> possible(List<Fault> faults, boolean givenDatabase) {
    return faults.stream()
        .filter(fault -> !givenDatabase || !DATABASE.contains(fault.name()))
        .toList();
  }

  /** Those of these names. */
  static List<Fault> named(CommandSpec spec, List<String> names, boolean givenDatabase) {
    List<Fault> faults = new ArrayList<>();
    for (String name : names) {
      try {
        faults.add(Catalogue.named(name));
      } catch (IllegalArgumentException e) {
        throw new ParameterException(spec.commandLine(), "--faults: " + ErrorWords.of(e), e);
      }
    }
    if (givenDatabase && names.stream().anyMatch(DATABASE::contains)) {
      throw new ParameterException(
          spec.commandLine(), "--faults: a database given with --store is not killed");
    }
    return faults;
  }

  List<HoldQueueType> holds() {
    if (hold == null) {
      return List.of(HoldQueueType.QUORUM, HoldQueueType.CLASSIC);
    }
    for (HoldQueueType type : HoldQueueType.values()) {
      if (type.name().toLowerCase(Locale.ROOT).equals(hold)) {
        return List.of(type);
      }
    }
    throw new ParameterException(
        spec.commandLine(), "--hold '%s' is neither quorum nor classic".formatted(hold));
  }
}
