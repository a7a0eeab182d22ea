// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.spring.declare;

import io.pocketwatch.internal.base.ErrorWords;
import java.io.IOException;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.amqp.AmqpIOException;
import org.springframework.amqp.core.Declarable;
import org.springframework.amqp.core.DeclarableCustomizer;
import org.springframework.amqp.core.Exchange;
import org.springframework.amqp.rabbit.connection.Connection;
import org.springframework.amqp.rabbit.connection.ConnectionFactory;
import org.springframework.amqp.rabbit.connection.RabbitUtils;
import org.springframework.amqp.rabbit.core.DeclarationExceptionEvent;
import org.springframework.amqp.rabbit.core.RabbitAdmin;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.context.ApplicationListener;

/**
 * Does for the plain {@code RabbitAdmin}s of a context what {@link DelayedRabbitAdmin} does by
 * itself, as far as Spring lets others. Where the broker lacks the plugin, their beans, {@code
 * Declarables} and {@code @QueueBinding} are declared without it. Direct calls of {@code
 * declareExchange} are not. The log explains those that fail for that, and an exchange left over
 * from the plugin.
 *
 * <p>Spring does not say for which admin an exchange is customized. Where the admins that may
 * declare it have several connection factories, it is left as it is written, with a warning. Then
 * name its admin, or use {@link DelayedRabbitAdmin}. Thread-safe.
 */
public final class DelayedExchangeCustomizer
    implements DeclarableCustomizer, ApplicationListener<DeclarationExceptionEvent> {
  private static final Logger LOG = LoggerFactory.getLogger(DelayedExchangeCustomizer.class);

  private final PlainAdmins admins;
  private final Map<ConnectionFactory, DelayTypeProbe> probes = new ConcurrentHashMap<>();
  private final Set<String> said = ConcurrentHashMap.newKeySet();

  /**
   * Makes one for a context.
   *
   * @param beans where the admins are
   */
  public DelayedExchangeCustomizer(ListableBeanFactory beans) {
    this.admins = new PlainAdmins(beans);
  }

  /**
   * Replaces an exchange that the broker could not have.
   *
   * @throws AmqpIOException if the broker does not answer, or with a {@link
   *     DelayedExchangeException} if the exchange names no underlying type
   */
  @Override
  public Declarable apply(Declarable declarable) {
    if (!(declarable instanceof Exchange exchange) || !UnderlyingExchange.needsPlugin(exchange)) {
      return declarable;
    }
    Set<ConnectionFactory> brokers = admins.brokersFor(exchange);
    if (brokers.size() > 1) {
      sayOnce(
          ("exchange '%s' may be declared by admins of %d connection factories, and is left as"
                  + " it is written. Name its admin, or make the admins DelayedRabbitAdmins")
              .formatted(exchange.getName(), brokers.size()));
    }
    try {
      return brokers.size() == 1 && lacksType(brokers.iterator().next())
          ? UnderlyingExchange.of(exchange)
          : declarable;
    } catch (IOException e) {
      if (exchange.isIgnoreDeclarationExceptions()) {
        sayOnce(ErrorWords.of(e));
        return declarable;
      }
      throw new AmqpIOException(e);
    }
  }

  /** Says in the log what the broker's words do not. */
  @Override
  public void onApplicationEvent(DeclarationExceptionEvent event) {
    explanation(event).ifPresent(this::sayOnce);
  }

  Optional<String> explanation(DeclarationExceptionEvent event) {
    if (!(event.getSource() instanceof RabbitAdmin admin) || admin instanceof DelayedRabbitAdmin) {
      return Optional.empty();
    }
    Throwable failure = event.getThrowable();
    Optional<Leftover> leftover = Leftover.in(failure);
    if (leftover.isPresent() && nowLacksType(admin)) {
      return leftover.map(Leftover::explanation);
    }
    return DelayTypeProbe.unknownExchangeType(failure)
            && event.getDeclarable() instanceof Exchange exchange
            && UnderlyingExchange.needsPlugin(exchange)
        ? Optional.of(whyNotCustomized(exchange))
        : Optional.empty();
  }

  private static String whyNotCustomized(Exchange exchange) {
    try {
      UnderlyingExchange.of(exchange);
    } catch (DelayedExchangeException e) {
      return ErrorWords.of(e);
    }
    return ("exchange '%s' needs the delayed-message plugin, which this broker does not have. In a"
            + " direct call of declareExchange only a DelayedRabbitAdmin can help: use it in place"
            + " of the RabbitAdmin")
        .formatted(exchange.getName());
  }

  private boolean nowLacksType(RabbitAdmin admin) {
    try {
      return lacksType(admin.getRabbitTemplate().getConnectionFactory());
    } catch (IOException e) {
      LOG.debug("no answer", e);
      return false;
    }
  }

  private boolean lacksType(ConnectionFactory connectionFactory) throws IOException {
    DelayTypeProbe probe = probes.computeIfAbsent(connectionFactory, DelayTypeProbe::new);
    Connection connection = connectionFactory.createConnection();
    try {
      com.rabbitmq.client.Connection live = connection.getDelegate();
      return live != null && probe.lacksType(live);
    } finally {
      RabbitUtils.closeConnection(connection); // Spring's way to give it back
    }
  }

  /** An admin declares anew at each connection, and tries six times. */
  private void sayOnce(String line) {
    if (said.add(line)) {
      LOG.warn(line);
    }
  }
}
