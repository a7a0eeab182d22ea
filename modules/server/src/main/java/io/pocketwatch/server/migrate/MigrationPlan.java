// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.server.migrate;

import io.pocketwatch.screen.CommandFailedException;
import io.pocketwatch.screen.ExitCodes;
import io.pocketwatch.screen.Numbers;
import io.pocketwatch.server.broker.ManagementClient;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/**
 * The state that was found, and the steps to be done.
 *
 * @param definition the exchange as it is to be in the end
 * @param file the file that keeps the definition meanwhile
 * @param resuming whether an earlier run has deleted the exchange, and this one goes on
 * @param plugin what is known of the plugin, or null if the broker does not have it
 */
record MigrationPlan(
    ExchangeDefinition definition, DefinitionFile file, boolean resuming, @Nullable Plugin plugin) {

  /**
   * Looks at the broker and at what an earlier run has left.
   *
   * @throws CommandFailedException if there is nothing that can be migrated
   */
  static MigrationPlan make(ManagementClient management, DefinitionFile file, Wanted wanted) {
    Optional<FoundExchange> found =
        management.exchange(wanted.virtualHost(), wanted.name()).map(FoundExchange::new);
    Optional<ExchangeDefinition> saved = file.read();
    if (found.isPresent() && found.get().delayed()) {
      ExchangeDefinition definition = found.get().definition(wanted.type());
      if (saved.isPresent() && !saved.get().equals(definition)) {
        throw failure(
            "--file %s holds another definition than %s has now. Move the file away, if it is of no"
                    .formatted(file.path(), wanted.words())
                + " more use, and run this again");
      }
      Plugin plugin =
          management.hasExchangeType(FoundExchange.DELAYED)
              ? new Plugin(found.get().messagesDelayed(), management.hasOneNode())
              : null;
      return new MigrationPlan(definition, file, false, plugin);
    }
    if (saved.isEmpty()) {
      throw failure(
          found
              .map(
                  each ->
                      "%s is of type %s, not %s: there is nothing to migrate"
                          .formatted(wanted.words(), each.type(), FoundExchange.DELAYED))
              .orElseGet(
                  () ->
                      "there is no %s, and no --file %s of an earlier run"
                          .formatted(wanted.words(), file.path())));
    }
    ExchangeDefinition definition = saved.get();
    wanted.check(definition, file);
    if (found.isPresent() && !found.get().type().equals(definition.type())) {
      throw failure(
          "%s is now of type %s, and --file %s of an earlier run says %s: delete one of them"
              .formatted(wanted.words(), found.get().type(), file.path(), definition.type()));
    }
    return new MigrationPlan(definition, file, true, null);
  }

  /** The text to show before anything is done. */
  List<String> words() {
    List<String> lines = new ArrayList<>();
    lines.add(
        "Exchange '%s' in virtual host '%s' %s"
            .formatted(
                definition.name(),
                definition.virtualHost(),
                resuming
                    ? "was deleted by an earlier run, which did not come to its end."
                    : plugin != null
                        ? "is of type x-delayed-message, and this broker has the plugin. "
                            + plugin.words()
                        : "is of type x-delayed-message, which this broker no longer has."));
    lines.add("It becomes: " + definition.words());
    lines.add(
        definition.bindings().isEmpty()
            ? "It has no bindings."
            : Numbers.of(definition.bindings().size(), "binding") + " to be made again:");
    definition.bindings().forEach(each -> lines.add("  " + each.words()));
    lines.add("In a definitions file that the broker loads at its start, its entry becomes:");
    lines.add("  " + definition.json());
    lines.add("Steps:");
    if (!resuming) {
      lines.add("  try out the declaration and all bindings, which changes nothing");
      lines.add("  write all this to " + file.path());
      lines.add("  delete the exchange");
    }
    lines.add("  declare it, bind it to its destinations, then bind its sources to it");
    lines.add(
        "Until it is declared, whoever publishes to it gets 404 and a closed channel. Then,"
            + " until the last binding is there, a message may match none. It is dropped, or"
            + " returned if it is mandatory. Stop its publishers if that matters.");
    return lines;
  }

  /** Why the user must confirm, if so. */
  Optional<String> objection() {
    return plugin == null || plugin.holdsNothing()
        ? Optional.empty()
        : Optional.of(
            "the plugin is still there. %s What it holds in '%s' is lost with the old exchange: wait until there is nothing, or give --yes"
                .formatted(plugin.words(), definition.name()));
  }

  private static CommandFailedException failure(String message) {
    return new CommandFailedException(ExitCodes.FAILED, message);
  }

  /**
   * What is known of the plugin.
   *
   * @param held how many messages the node that was asked holds in the exchange, if it says so
   * @param onlyNode whether there is no other; each node counts its own
   */
  record Plugin(OptionalLong held, boolean onlyNode) {

    boolean holdsNothing() {
      return onlyNode && held.orElse(1) == 0;
    }

    String words() {
      return (held.isPresent()
              ? "This node holds " + Numbers.of(held.getAsLong(), "message") + " in it."
              : "This node does not say how many messages it holds in it.")
          + (onlyNode ? "" : " Other nodes count for themselves: ask each by --management.");
    }
  }

  /**
   * The arguments of the command.
   *
   * @param type the underlying type, if it is given
   */
  record Wanted(String virtualHost, String name, @Nullable String type) {

    String words() {
      return "exchange '%s' in virtual host '%s'".formatted(name, virtualHost);
    }

    void check(ExchangeDefinition saved, DefinitionFile file) {
      if (!saved.name().equals(name) || !saved.virtualHost().equals(virtualHost)) {
        throw failure(
            "--file %s is of exchange '%s' in virtual host '%s', not of %s"
                .formatted(file.path(), saved.name(), saved.virtualHost(), words()));
      }
      if (type != null && !type.equals(saved.type())) {
        throw failure(
            "--type %s: --file %s of the run that is to be ended says %s"
                .formatted(type, file.path(), saved.type()));
      }
    }
  }
}
