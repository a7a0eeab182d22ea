// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.server.broker;

import com.rabbitmq.client.Address;
import com.rabbitmq.client.ConnectionFactory;
import io.pocketwatch.internal.base.ErrorWords;
import io.pocketwatch.server.config.Secrets;
import java.net.URI;
import java.net.URISyntaxException;
import java.security.GeneralSecurityException;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/**
 * The address of a broker's node, or those of several nodes of one cluster. Errors do not repeat an
 * address: it may hold a password.
 *
 * @param uris at least one; they differ in host and port only
 */
public record BrokerAddresses(List<URI> uris) {
  static final String VARIABLE = "POCKETWATCH_BROKER";
  private static final int MOST_PORT = 65_535;
  private static final Pattern BETWEEN =
      Pattern.compile(",(?=amqps?://)"); // passwords may hold one

  /** Checks that the addresses differ in host and port only. */
  public BrokerAddresses {
    uris = List.copyOf(uris);
    if (uris.stream().map(BrokerAddresses::sameForAll).distinct().count() != 1) {
      throw new IllegalArgumentException(
          "are not nodes of one broker: user, password, vhost and scheme must be the same in each");
    }
  }

  /**
   * Reads addresses with commas between them.
   *
   * @throws IllegalArgumentException if the text is wrong; says why without repeating it
   */
  public static BrokerAddresses parse(String text) {
    return new BrokerAddresses(
        Stream.of(BETWEEN.split(text.strip())).map(BrokerAddresses::uri).toList());
  }

  /** Those named in the environment, or in the file that it names, if any are. */
  static Optional<BrokerAddresses> named(Map<String, String> environment) {
    return Secrets.read(VARIABLE, environment).map(BrokerAddresses::parse);
  }

  URI first() {
    return uris.get(0);
  }

  boolean several() {
    return uris.size() > 1;
  }

  /** The nodes to connect to; empty for a single one, whose name may mean several machines. */
  List<Address> nodes() {
    return several() ? uris.stream().map(BrokerAddresses::node).toList() : List.of();
  }

  private static Address node(URI uri) {
    ConnectionFactory factory = factory(uri);
    return new Address(factory.getHost(), factory.getPort());
  }

  private static List<Object> sameForAll(URI uri) {
    ConnectionFactory factory = factory(uri);
    return List.of(
        secure(uri), factory.getUsername(), factory.getPassword(), factory.getVirtualHost());
  }

  private static URI uri(String text) {
    try {
      // the cluster operator's addresses end so; the client would look for a vhost without a name
      URI uri = new URI(text.replaceFirst("^(\\w+://[^/]+)/$", "$1"));
      if (uri.getRawPath() != null && uri.getRawPath().indexOf('/', 1) > 0) {
        throw new IllegalArgumentException(
            wanted() + "; a '/' in a vhost is written %2F, as in amqp://host:5672/%2F for '/'");
      }
      factory(uri);
      if (uri.getPort() > MOST_PORT) {
        throw new IllegalArgumentException(
            wanted() + "; the port is %s, allowed: 1 to %s".formatted(uri.getPort(), MOST_PORT));
      }
      if (uri.getHost() == null && uri.getRawAuthority() != null) {
        throw new IllegalArgumentException(wanted()); // the client would take the local host
      }
      return uri;
    } catch (URISyntaxException e) {
      throw new IllegalArgumentException(wanted()); // not as a cause: it repeats the text
    }
  }

  /** A factory that only reads the address: it never connects, and so needs no TLS. */
  static ConnectionFactory factory(URI uri) {
    if (uri.getScheme() == null) {
      throw new IllegalArgumentException(wanted()); // the client would fail on it
    }
    try {
      ConnectionFactory factory = new ConnectionFactory();
      factory.setUri(
          secure(uri) ? new URI("amqp" + uri.toString().substring("amqps".length())) : uri);
      if (secure(uri) && uri.getPort() < 0) {
        factory.setPort(ConnectionFactory.DEFAULT_AMQP_OVER_SSL_PORT);
      }
      return factory;
    } catch (IllegalArgumentException | URISyntaxException | GeneralSecurityException e) {
      throw new IllegalArgumentException(wanted());
    }
  }

  static boolean secure(URI uri) {
    return "amqps".equalsIgnoreCase(uri.getScheme());
  }

  private static String wanted() {
    return "is not an AMQP address such as amqp://user:password@host:5672/vhost,"
        + " or several of one cluster with commas between them";
  }

  /** Leaves the addresses out: they may hold a password. */
  @Override
  public String toString() {
    return "BrokerAddresses[" + uris.size() + "]";
  }

  /** For {@code --broker}. */
  public static final class Converter implements ITypeConverter<BrokerAddresses> {
    @Override
    public BrokerAddresses convert(String text) {
      try {
        return parse(text);
      } catch (IllegalArgumentException e) {
        throw new TypeConversionException(ErrorWords.of(e));
      }
    }
  }
}
