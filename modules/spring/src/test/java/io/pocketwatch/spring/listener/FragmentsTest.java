// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.spring.listener;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.springframework.amqp.core.Message;
import org.springframework.amqp.core.MessageProperties;
import org.springframework.amqp.rabbit.batch.SimpleBatchingStrategy;
import org.springframework.amqp.rabbit.support.DefaultMessagePropertiesConverter;

class FragmentsTest {
  private final DefaultMessagePropertiesConverter converter =
      new DefaultMessagePropertiesConverter();
  private final SimpleBatchingStrategy strategy = new SimpleBatchingStrategy(3, 10_000, 10_000);

  /** As it arrives. */
  private Message received(Message sent) {
    return new Message(
        sent.getBody(),
        converter.toMessageProperties(
            converter.fromMessageProperties(sent.getMessageProperties(), "UTF-8"), null, "UTF-8"));
  }

  private Message batch() {
    Message batch = null;
    for (String body : List.of("one", "two", "three")) {
      var released =
          strategy.addToBatch("", "q", new Message(body.getBytes(), new MessageProperties()));
      batch = released == null ? null : received(released.message());
    }
    return batch;
  }

  @Test
  void the_pieces_of_a_batch_are_told_from_the_batch_and_from_what_is_sent_on() {
    Message batch = batch();
    assertThat(Fragments.isFragment(batch)).isFalse();
    List<Message> pieces = new ArrayList<>();
    strategy.deBatch(
        batch,
        piece -> {
          assertThat(Fragments.isFragment(piece)).isTrue();
          pieces.add(piece);
        });

    assertThat(pieces).hasSize(3);
    assertThat(Fragments.isFragment(received(pieces.get(0)))).isFalse();
    assertThat(Fragments.isFragment(new Message(new byte[0], new MessageProperties()))).isFalse();
  }
}
