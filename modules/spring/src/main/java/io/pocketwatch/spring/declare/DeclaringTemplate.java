// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.spring.declare;

import org.jspecify.annotations.Nullable;
import org.springframework.amqp.rabbit.core.ChannelCallback;
import org.springframework.amqp.rabbit.core.RabbitTemplate;

/** The one way by which an admin gets its channels. */
final class DeclaringTemplate extends RabbitTemplate {
  private final RabbitTemplate template;
  private final DelayTypeProbe probe;

  DeclaringTemplate(RabbitTemplate template) {
    super(template.getConnectionFactory());
    this.template = template;
    this.probe = new DelayTypeProbe(template.getConnectionFactory());
  }

  @Override
  public <T extends @Nullable Object> T execute(ChannelCallback<T> action) {
    return template.execute(channel -> action.doInRabbit(DeclaringChannel.over(channel, probe)));
  }
}
