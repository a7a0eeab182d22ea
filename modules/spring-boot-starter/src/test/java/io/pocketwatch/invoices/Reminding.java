// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.invoices;

import io.pocketwatch.spring.Delayed;
import jakarta.persistence.PostPersist;
import java.time.Duration;
import org.springframework.amqp.rabbit.core.RabbitTemplate;

/** Sends a reminder for each new invoice. */
final class Reminding {
  private final RabbitTemplate template;

  Reminding(RabbitTemplate template) {
    this.template = template;
  }

  @PostPersist
  void remind(Invoice invoice) {
    template.convertAndSend(
        "store-orders",
        "timeout",
        invoice.id(),
        Delayed.delay(Duration.ofHours(30)).id(invoice.id()));
  }
}
