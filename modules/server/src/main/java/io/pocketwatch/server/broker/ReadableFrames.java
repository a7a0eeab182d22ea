// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.server.broker;

import com.rabbitmq.client.AMQP;
import com.rabbitmq.client.AMQP.BasicProperties;
import io.pocketwatch.internal.base.ErrorWords;
import java.io.BufferedInputStream;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What a broker sends, frame by frame, with readable properties in place of those that the client
 * cannot decode.
 */
final class ReadableFrames extends InputStream {
  /** Type, channel and size. */
  private static final int HEAD = 7;

  /** Class, weight and size of the body, before the properties. */
  private static final int BEFORE_PROPERTIES = 12;

  /** More would not fit into a frame beside the explanation. */
  private static final int MOST_KEPT = 100_000;

  private final InputStream in;
  private final int maxBody;
  private byte[] reading = new byte[HEAD];
  private int filled;
  private byte[] ready = new byte[0];
  private int position;
  private long passing;
  private volatile int frameMax;

  /**
   * @param maxBody a body of that size and above is one that the client would not take
   */
  ReadableFrames(InputStream in, int maxBody) {
    this.in = new BufferedInputStream(in);
    this.maxBody = maxBody;
  }

  /** Sets the negotiated frame size, before the first message; 0 for any size. */
  void frameMax(int bytes) {
    frameMax = bytes;
  }

  @Override
  public int read() throws IOException {
    byte[] one = new byte[1];
    return read(one, 0, 1) < 0 ? -1 : one[0] & 0xFF;
  }

  @Override
  public int read(byte[] into, int offset, int length) throws IOException {
    if (length == 0) {
      return 0;
    }
    if (available(ready) == 0 && passing == 0 && !next()) {
      return -1;
    }
    int some = Math.min(length, available(ready));
    if (some > 0) {
      System.arraycopy(ready, position, into, offset, some);
      position += some;
      return some;
    }
    int passed = in.read(into, offset, (int) Math.min(length, passing));
    passing -= Math.max(0, passed);
    return passed;
  }

  /** Counts nothing of the next frame: reading its head might block. */
  @Override
  public int available() throws IOException {
    return available(ready) + (int) Math.min(passing, in.available());
  }

  private int available(byte[] frame) {
    return frame.length - position;
  }

  /** Reads the next frame. After a timeout it can be called again, and goes on where it was. */
  private boolean next() throws IOException {
    if (!fill(HEAD)) {
      return false;
    }
    int size = ByteBuffer.wrap(reading).getInt(HEAD - Integer.BYTES);
    if (reading[0] != AMQP.FRAME_HEADER || size < BEFORE_PROPERTIES) {
      ready = reading;
      passing = Integer.toUnsignedLong(size) + 1;
    } else {
      int whole = HEAD + size + 1;
      reading = reading.length < whole ? Arrays.copyOf(reading, whole) : reading;
      if (!fill(whole)) {
        return false;
      }
      ready = readable(reading);
    }
    position = 0;
    reading = new byte[HEAD];
    filled = 0;
    return true;
  }

  private boolean fill(int count) throws IOException {
    while (filled < count) {
      int some = in.read(reading, filled, count - filled);
      if (some < 0) {
        return false;
      }
      filled += some;
    }
    return true;
  }

  private byte[] readable(byte[] frame) throws IOException {
    ByteBuffer fields = ByteBuffer.wrap(frame);
    int channel = Short.toUnsignedInt(fields.getShort(1));
    long bodySize = fields.getLong(HEAD + Integer.BYTES);
    byte[] properties = Arrays.copyOfRange(frame, HEAD + BEFORE_PROPERTIES, frame.length - 1);
    String problem = problem(frame, bodySize);
    if (problem == null) {
      return frame;
    }
    Map<String, Object> headers = new LinkedHashMap<>();
    headers.put(TolerantConnection.UNREADABLE, problem);
    if (properties.length <= MOST_KEPT) {
      headers.put(TolerantConnection.UNREADABLE_PROPERTIES, properties);
    }
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    new BasicProperties.Builder()
        .headers(headers)
        .build()
        .toFrame(channel, bodySize)
        .writeTo(new DataOutputStream(bytes));
    return bytes.toByteArray();
  }

  /** Why the client cannot decode a frame. The client itself is tried, since versions differ. */
  private @Nullable String problem(byte[] frame, long bodySize) {
    if (bodySize >= maxBody) {
      return "its body of %s bytes reaches maxInboundMessageBodySize of the client, %s"
          .formatted(bodySize, maxBody);
    }
    if (frameMax > 0 && frame.length > frameMax) { // dead-letter headers may have been added
      return "its properties take a frame of %s bytes, and %s is the connection's frame size"
          .formatted(frame.length, frameMax);
    }
    int afterClass = HEAD + Short.BYTES;
    try {
      new BasicProperties(
          new DataInputStream(
              new ByteArrayInputStream(frame, afterClass, frame.length - 1 - afterClass)));
      return null;
    } catch (Throwable e) { // a deep table may be a StackOverflowError
      return "its properties cannot be decoded: " + ErrorWords.of(e);
    }
  }
}
