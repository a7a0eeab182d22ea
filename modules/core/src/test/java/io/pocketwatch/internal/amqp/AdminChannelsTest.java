// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.internal.amqp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.rabbitmq.client.Channel;
import io.pocketwatch.testing.FakeBroker;
import io.pocketwatch.testing.HandScheduler;
import java.io.IOException;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Which channel a question gets, and what becomes of it. */
class AdminChannelsTest {
  private final FakeBroker broker = new FakeBroker(new HandScheduler());
  private final AdminChannels admin =
      new AdminChannels(new Connections(broker.factory(), List::of));

  private Channel channel() throws Exception {
    return admin.call(channel -> channel);
  }

  @Test
  void a_channel_is_used_again() throws Exception {
    assertThat(channel()).isSameAs(channel());
    assertThat(broker.connectionsMade("admin")).isEqualTo(1);
  }

  @Test
  void a_channel_on_which_a_question_failed_is_not() throws Exception {
    Channel first = channel();
    assertThatThrownBy(() -> admin.call(channel -> channel.queueDeclarePassive("missing")))
        .isInstanceOf(IOException.class);

    Channel second = channel();

    assertThat(second).isNotSameAs(first);
    assertThat(first.isOpen()).isFalse();
    assertThat(broker.connectionsMade("admin")).isEqualTo(1);
  }

  @Test
  void after_a_lost_connection_there_is_another() throws Exception {
    channel();
    broker.losesConnections();

    assertThat(channel().isOpen()).isTrue();
    assertThat(broker.connectionsMade("admin")).isEqualTo(2);
  }

  @Test
  void a_connection_lost_between_taking_a_channel_and_asking_is_a_failed_question() {
    assertThatThrownBy(
            () ->
                admin.call(
                    channel -> {
                      broker.losesConnections();
                      return channel.queueDeclarePassive("orders");
                    }))
        .isInstanceOf(IOException.class);
  }

  @Test
  void a_closed_one_opens_nothing() throws Exception {
    channel();
    admin.close();

    assertThat(broker.connections()).isEmpty();
    assertThatThrownBy(this::channel).hasMessage("the publisher is closed");
    assertThat(broker.connections()).isEmpty();
  }

  @Test
  void closed_while_it_connects_it_keeps_no_connection() {
    broker.whileConnecting(admin::close);

    assertThatThrownBy(this::channel).hasMessage("the publisher is closed");
    assertThat(broker.connections()).isEmpty();
  }
}
