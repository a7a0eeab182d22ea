// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.server.hostile;

import com.rabbitmq.client.ConnectionFactory;
import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;

/** Sends whatever bytes it is given, which no client library would. */
final class RawPublisher implements AutoCloseable {
  private static final int METHOD = 1;
  private static final int HEADER = 2;
  private static final int BODY = 3;
  private static final int BODY_SIZE = 100_000;
  private static final int SILENCE_MILLIS = 30_000;

  private final ConnectionFactory broker;
  private Socket socket;
  private DataInputStream in;
  private DataOutputStream out;

  RawPublisher(ConnectionFactory broker) throws IOException {
    this.broker = broker;
    connect();
  }

  /** Something to write. */
  @FunctionalInterface
  interface Part {
    void to(DataOutputStream out) throws IOException;
  }

  static byte[] bytes(Part part) {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try {
      part.to(new DataOutputStream(bytes));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return bytes.toByteArray();
  }

  static void shortString(DataOutputStream out, byte[] text) throws IOException {
    out.writeByte(text.length);
    out.write(text);
  }

  static void shortString(DataOutputStream out, String text) throws IOException {
    shortString(out, text.getBytes(StandardCharsets.UTF_8));
  }

  private void connect() throws IOException {
    socket = new Socket(broker.getHost(), broker.getPort());
    socket.setSoTimeout(SILENCE_MILLIS);
    in = new DataInputStream(new BufferedInputStream(socket.getInputStream()));
    out = new DataOutputStream(new BufferedOutputStream(socket.getOutputStream()));
    out.write(new byte[] {'A', 'M', 'Q', 'P', 0, 0, 9, 1});
    out.flush();
    expect(10, 10);
    byte[] secret =
        ("\0" + broker.getUsername() + "\0" + broker.getPassword())
            .getBytes(StandardCharsets.UTF_8);
    call(
        0,
        10,
        11,
        start -> {
          start.writeInt(0);
          shortString(start, "PLAIN");
          start.writeInt(secret.length);
          start.write(secret);
          shortString(start, "en_US");
        });
    byte[] tune = expect(10, 30);
    call(
        0,
        10,
        31,
        ok -> {
          ok.write(tune, 4, 6);
          ok.writeShort(0);
        });
    call(
        0,
        10,
        40,
        open -> {
          shortString(open, broker.getVirtualHost());
          shortString(open, "");
          open.writeByte(0);
        });
    expect(10, 41);
    call(1, 20, 10, channel -> shortString(channel, ""));
    expect(20, 11);
    call(1, 85, 10, confirms -> confirms.writeByte(0));
    expect(85, 11);
  }

  private void call(int channel, int type, int method, Part arguments) throws IOException {
    frame(
        METHOD,
        channel,
        bytes(
            call -> {
              call.writeShort(type);
              call.writeShort(method);
              arguments.to(call);
            }));
    out.flush();
  }

  private void frame(int type, int channel, byte[] payload) throws IOException {
    out.writeByte(type);
    out.writeShort(channel);
    out.writeInt(payload.length);
    out.write(payload);
    out.writeByte(0xCE);
  }

  private byte[] method() throws IOException {
    while (true) {
      int type = in.readUnsignedByte();
      in.readUnsignedShort();
      byte[] payload = new byte[in.readInt()];
      in.readFully(payload);
      in.readUnsignedByte();
      if (type == METHOD) {
        return payload;
      }
    }
  }

  private byte[] expect(int type, int method) throws IOException {
    byte[] payload = method();
    if (number(payload) != (type << 16 | method)) {
      throw new IOException("the broker said " + new String(payload, StandardCharsets.ISO_8859_1));
    }
    return payload;
  }

  private static int number(byte[] method) {
    return ByteBuffer.wrap(method).getInt();
  }

  /** Returns whether the broker has taken it; where it closes the connection, there is another. */
  boolean publish(HostileMessage message) throws IOException {
    try {
      frame(
          METHOD,
          1,
          bytes(
              publish -> {
                publish.writeInt(60 << 16 | 40);
                publish.writeShort(0);
                shortString(publish, message.exchange());
                shortString(publish, message.routingKey());
                publish.writeByte(0);
              }));
      frame(
          HEADER,
          1,
          bytes(
              header -> {
                header.writeInt(60 << 16);
                header.writeLong(message.body().length);
                header.write(message.properties());
              }));
      for (int from = 0; from < message.body().length; from += BODY_SIZE) {
        int size = Math.min(BODY_SIZE, message.body().length - from);
        int offset = from;
        frame(BODY, 1, bytes(body -> body.write(message.body(), offset, size)));
      }
      out.flush();
      int answer = number(method());
      if (answer == (60 << 16 | 80) || answer == (60 << 16 | 120)) {
        return answer == (60 << 16 | 80);
      }
    } catch (IOException e) {
      // the broker has closed it for this message
    }
    socket.close();
    connect();
    return false;
  }

  @Override
  public void close() throws IOException {
    socket.close();
  }
}
