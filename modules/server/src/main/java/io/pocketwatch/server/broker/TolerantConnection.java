// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.server.broker;

import com.rabbitmq.client.AMQP.BasicProperties;
import com.rabbitmq.client.Address;
import com.rabbitmq.client.AddressResolver;
import com.rabbitmq.client.Connection;
import com.rabbitmq.client.ConnectionFactory;
import com.rabbitmq.client.DnsRecordIpAddressResolver;
import com.rabbitmq.client.ListAddressResolver;
import com.rabbitmq.client.impl.AMQConnection;
import com.rabbitmq.client.impl.ConnectionParams;
import com.rabbitmq.client.impl.FrameHandler;
import com.rabbitmq.client.impl.SocketFrameHandlerFactory;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.net.SocketException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * A connection that no message can break. The broker takes messages that the client cannot decode,
 * such as tables nested more than 32 levels deep, or bodies over the client's limit. Each of them
 * closes an ordinary connection, and comes again. Here it arrives with its body, and with {@link
 * #UNREADABLE} in place of its properties.
 */
public final class TolerantConnection {
  /**
   * The reason why no Java client can read a message (string). Its body is whole; its properties
   * are in {@link #UNREADABLE_PROPERTIES} only.
   */
  public static final String UNREADABLE = "pocketwatch-unreadable";

  /** The properties of such a message as they were on the wire (binary), up to 100,000 bytes. */
  static final String UNREADABLE_PROPERTIES = "pocketwatch-unreadable-properties";

  private TolerantConnection() {}

  /**
   * Opens a connection without automatic recovery. It uses blocking I/O, whatever the factory says.
   *
   * @param addresses to be tried in turn; the factory's own host if empty
   * @throws IOException also if the factory has an {@code SslContextFactory} and no socket factory
   */
  public static Connection open(ConnectionFactory factory, List<Address> addresses, String name)
      throws IOException, TimeoutException {
    if (factory.isSSL() && factory.getSocketFactory() == null) {
      throw new IOException(
          "the ConnectionFactory has no socket factory for TLS: use useSslProtocol(SSLContext)");
    }
    ConnectionParams params = factory.params(null);
    Map<String, Object> client = new HashMap<>(params.getClientProperties());
    client.put("connection_name", name);
    params.setClientProperties(client);
    Sockets sockets = new Sockets(factory, params.getMaxInboundMessageBodySize());
    params.setMaxInboundMessageBodySize(Integer.MAX_VALUE);
    IOException last = new IOException("the host has no address");
    for (Address each : resolver(factory, addresses).getAddresses()) {
      try {
        AMQConnection connection = new AMQConnection(params, sockets.create(each, name));
        connection.start();
        sockets.frames.frameMax(connection.getFrameMax());
        return connection;
      } catch (IOException e) {
        last = e;
      } catch (TimeoutException e) {
        last = new IOException("no AMQP handshake with " + each, e);
      }
    }
    throw last;
  }

  private static AddressResolver resolver(ConnectionFactory factory, List<Address> addresses) {
    return switch (addresses.size()) {
      case 0 ->
          new DnsRecordIpAddressResolver(
              new Address(factory.getHost(), factory.getPort()), factory.isSSL());
      case 1 -> new DnsRecordIpAddressResolver(addresses.get(0), factory.isSSL());
      default -> new ListAddressResolver(addresses);
    };
  }

  /** The reason why a message of such a connection could not be read, or null. */
  public static @Nullable String unreadable(BasicProperties properties) {
    Map<String, Object> headers = properties.getHeaders();
    Object why = headers == null ? null : headers.get(UNREADABLE);
    return why == null ? null : why.toString();
  }

  /** Lets the client read the stream of {@link ReadableFrames}. */
  private static final class Sockets extends SocketFrameHandlerFactory {
    private final int maxBody;
    private ReadableFrames frames = new ReadableFrames(InputStream.nullInputStream(), 0);

    Sockets(ConnectionFactory factory, int maxBody) {
      super(
          factory.getConnectionTimeout(),
          factory.getSocketFactory(),
          factory.getSocketConfigurator(),
          factory.isSSL());
      this.maxBody = maxBody;
    }

    @Override
    public FrameHandler create(Socket socket) throws IOException {
      frames = new ReadableFrames(socket.getInputStream(), maxBody);
      return super.create(new ReadableSocket(socket, frames));
    }
  }

  /** A connected socket, with the methods that the client uses. */
  private static final class ReadableSocket extends Socket {
    private final Socket socket;
    private final InputStream frames;

    ReadableSocket(Socket socket, InputStream frames) {
      this.socket = socket;
      this.frames = frames;
    }

    @Override
    public InputStream getInputStream() {
      return frames;
    }

    @Override
    public OutputStream getOutputStream() throws IOException {
      return socket.getOutputStream();
    }

    @Override
    public InetAddress getInetAddress() {
      return socket.getInetAddress();
    }

    @Override
    public InetAddress getLocalAddress() {
      return socket.getLocalAddress();
    }

    @Override
    public int getPort() {
      return socket.getPort();
    }

    @Override
    public int getLocalPort() {
      return socket.getLocalPort();
    }

    @Override
    public void setSoTimeout(int millis) throws SocketException {
      socket.setSoTimeout(millis);
    }

    @Override
    public int getSoTimeout() throws SocketException {
      return socket.getSoTimeout();
    }

    @Override
    public void setSoLinger(boolean on, int seconds) throws SocketException {
      socket.setSoLinger(on, seconds);
    }

    @Override
    public void close() throws IOException {
      socket.close();
    }
  }
}
