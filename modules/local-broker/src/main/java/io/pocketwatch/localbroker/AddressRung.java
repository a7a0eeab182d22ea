// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.localbroker;

import java.io.IOException;
import java.net.URI;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** A broker whose address the environment names. */
final class AddressRung implements Rung {

  private final Environment base;

  AddressRung(Environment base) {
    this.base = base;
  }

  @Override
  public BrokerSource source() {
    return BrokerSource.ADDRESS;
  }

  @Override
  public BrokerNode find(LocalBrokerOptions options, Consumer<String> listener)
      throws RungRefusedException {
    String variable = variable(options);
    if (base.get(variable).isEmpty()) {
      throw new RungRefusedException(
          "No " + variable + " is set",
          "Set it to the address of a running broker: amqp://user:password@host:port");
    }
    if (options.controllable()) {
      throw new RungRefusedException(
          variable + " cannot be used: the broker has to be stopped and killed on the way",
          "Nothing to be done: this needs a broker that is started for it.");
    }
    URI address = parse(variable);
    listener.accept(variable + " says " + AmqpProbe.masked(address));
    return connect(variable, address, options);
  }

  /**
   * A named broker that does not answer or fit is an error and not a reason to try the next source.
   * A user who named it would believe that everything happens there.
   */
  private static BrokerNode connect(String named, URI address, LocalBrokerOptions options) {
    String version;
    try {
      version = AmqpProbe.version(address);
    } catch (IOException e) {
      throw new BrokerUnavailableException(
          "%s says %s, but no broker answers there: %s"
              .formatted(named, AmqpProbe.masked(address), e),
          false);
    }
    if (!Versions.fits(version, options.version())) {
      throw new BrokerUnavailableException(
          "%s says %s, but that is RabbitMQ %s and wanted is %s"
              .formatted(named, AmqpProbe.masked(address), version, options.version()),
          false);
    }
    return new AddressNode(address, version);
  }

  private static String variable(LocalBrokerOptions options) {
    @Nullable String version = options.version();
    return version == null
        ? Environment.ADDRESS
        : Environment.ADDRESS + "_" + Versions.variableSuffix(version);
  }

  private URI parse(String variable) {
    String text = base.get(variable).orElseThrow();
    try {
      URI uri = URI.create(text);
      AmqpProbe.factory(uri);
      return uri;
    } catch (IllegalArgumentException e) {
      // without the text: it may hold a password
      throw new BrokerUnavailableException(
          variable + " is not an AMQP address: amqp://user:password@host:port/vhost", false);
    }
  }
}
