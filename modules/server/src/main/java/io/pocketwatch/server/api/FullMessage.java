// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.server.api;

import com.fasterxml.jackson.core.type.TypeReference;
import io.pocketwatch.config.DelayRoutes;
import io.pocketwatch.server.store.MessageContent;
import io.pocketwatch.store.StoredMessage;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** A stored message with its properties and body. */
final class FullMessage {
  private FullMessage() {}

  static Map<String, @Nullable Object> of(StoredMessage stored, DelayRoutes routes) {
    Map<String, @Nullable Object> json =
        Answers.MAPPER.convertValue(MessageView.of(stored), new TypeReference<>() {});
    json.putAll(MessageContent.of(stored, routes));
    return json;
  }
}
