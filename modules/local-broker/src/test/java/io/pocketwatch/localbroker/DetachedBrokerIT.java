// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.localbroker;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class DetachedBrokerIT {

  @TempDir Path folder;

  private DetachedBroker broker() {
    return DetachedBroker.in(folder.resolve("broker")); // each one as the next JVM would see it
  }

  @AfterEach
  void leaveNothingBehind() {
    broker().wipe();
  }

  @Test
  void isFoundAgainUntilItIsStoppedAndComesBackWithItsData() {
    LocalBrokerOptions options =
        LocalBrokerOptions.defaults().withVersion("4.3").withPlugins(List.of());
    assertThat(broker().running()).isEmpty();
    BrokerNode started = broker().start(options, LadderListener.silent());
    started.ctl("add_vhost", "kept");
    started.close(); // somebody else's to end

    BrokerNode found = broker().running().orElseThrow();
    assertThat(found.amqpUri()).isEqualTo(started.amqpUri());
    assertThat(found.version()).startsWith("4.3.");
    List<String> words = new ArrayList<>();
    assertThat(broker().start(options, words::add).running()).isTrue();
    assertThat(words).hasSize(1).first().asString().startsWith("Already running");

    assertThat(broker().stop()).isTrue();
    assertThat(broker().stop()).isFalse();
    assertThat(broker().running()).isEmpty();

    BrokerNode again = broker().start(options, LadderListener.silent());
    assertThat(again.amqpUri()).isEqualTo(started.amqpUri());
    assertThat(again.ctl("-q", "list_vhosts")).contains("kept");
    broker().wipe();
    assertThat(broker().running()).isEmpty();
    assertThat(Files.exists(broker().folder())).isFalse();
  }
}
