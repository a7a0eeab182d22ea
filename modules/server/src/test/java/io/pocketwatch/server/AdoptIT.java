// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.pocketwatch.BrokerIdentity;
import io.pocketwatch.screen.ExitCodes;
import io.pocketwatch.server.config.StoreSettings;
import io.pocketwatch.server.store.OpenStore;
import io.pocketwatch.testkit.BrokerExtension;
import io.pocketwatch.testkit.store.TestDatabase;
import io.pocketwatch.testkit.store.TestDatabases;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** The store of another broker is refused, until it is taken over on purpose. */
class AdoptIT {
  @RegisterExtension static final BrokerExtension broker = BrokerExtension.anyVersion();
  private static final BrokerIdentity PRODUCTION = new BrokerIdentity("rabbit@production", "/");

  @TempDir private static Path folder;
  private TestDatabase database;
  private OpenStore open;
  private Path config;

  @BeforeEach
  void copy() throws Exception {
    database = TestDatabases.h2();
    config =
        Files.writeString(
            folder.resolve("pocketwatch.yml"),
            """
            pocketwatch:
              routes:
                orders: {routing-key: orders, tracking: full}
              store: {url: '%s'}
            """
                .formatted(database.url()));
    open = OpenStore.create(StoreSettings.at(database.url(), Map.of()));
    open.store().adoptBroker(PRODUCTION);
  }

  @AfterEach
  void close() throws Exception {
    open.close();
    database.close();
  }

  @Test
  void it_says_whose_it_is_and_changes_nothing_until_it_is_told_to() {
    CommandRun refused = run("load");
    assertThat(refused.exitCode()).isEqualTo(ExitCodes.FAILED);
    assertThat(String.join("\n", refused.err())).contains("rabbit@production", "pocketwatch adopt");
    CommandRun checked = run("check", "--connect");
    assertThat(checked.exitCode()).isEqualTo(ExitCodes.FAILED);
    assertThat(String.join("\n", checked.err())).contains("rabbit@production");

    CommandRun tried = run("adopt", "--dry-run");
    assertThat(tried.exitCode()).isEqualTo(ExitCodes.DONE);
    assertThat(tried.lastOut()).isEqualTo("Nothing was changed (--dry-run).");
    assertThat(open.store().broker()).contains(PRODUCTION);

    CommandRun adopted = run("adopt");
    assertThat(adopted.exitCode()).isEqualTo(ExitCodes.DONE);
    assertThat(String.join("\n", adopted.out()))
        .contains("rabbit@production", "0 messages wait in the store");
    assertThat(adopted.lastOut()).isEqualTo("From now on they go to this broker.");
    assertThat(run("load").exitCode()).isEqualTo(ExitCodes.DONE);
    assertThat(run("check", "--connect").exitCode()).isEqualTo(ExitCodes.DONE);
    assertThat(run("adopt").lastOut()).isEqualTo("Nothing was changed.");
    assertThat(open.store().notes(null, 10)).extracting(each -> each.what()).contains("adopt");
  }

  private CommandRun run(String command, String... options) {
    String[] all = new String[options.length + 5];
    all[0] = command;
    System.arraycopy(options, 0, all, 1, options.length);
    all[options.length + 1] = "--config";
    all[options.length + 2] = config.toString();
    all[options.length + 3] = "--broker";
    all[options.length + 4] = broker.amqpUri().toString();
    return CommandRun.of(all);
  }
}
