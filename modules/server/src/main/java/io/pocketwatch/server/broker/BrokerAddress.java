// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.server.broker;

import com.rabbitmq.client.ConnectionFactory;
import java.net.URI;
import java.net.URISyntaxException;
import java.security.GeneralSecurityException;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Reads a broker's address. A wrong one is not repeated: it may hold a password. */
public final class BrokerAddress implements ITypeConverter<URI> {

  @Override
  public URI convert(String text) {
    try {
      URI address = new URI(text);
      new ConnectionFactory().setUri(address);
      return address;
    } catch (URISyntaxException | IllegalArgumentException | GeneralSecurityException e) {
      throw new TypeConversionException(
          "is not an AMQP address such as amqp://user:password@host:5672/vhost");
    }
  }
}
