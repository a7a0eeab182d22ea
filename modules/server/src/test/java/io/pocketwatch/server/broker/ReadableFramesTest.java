// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.server.broker;

import static org.assertj.core.api.Assertions.assertThat;

import com.rabbitmq.client.AMQP.BasicProperties;
import com.rabbitmq.client.impl.Frame;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.SocketTimeoutException;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class ReadableFramesTest {
  private static final int MAX_BODY = 1_000;
  private static final int CHANNEL = 513;

  @Test
  void what_can_be_read_passes_as_it_is() throws Exception {
    byte[] all =
        join(body(1), header(Map.of("depth", nested(31)), 3), body(3), header(Map.of(), 0));

    assertThat(frames(new ByteArrayInputStream(all)).readAllBytes()).isEqualTo(all);
    InputStream single = frames(new ByteArrayInputStream(all));
    for (byte each : all) {
      assertThat(single.read()).isEqualTo(each & 0xFF);
    }
    assertThat(single.read()).isEqualTo(-1);
  }

  @Test
  void properties_that_the_client_cannot_decode_are_replaced() throws Exception {
    byte[] hostile = header(Map.of("depth", nested(33)), 3);
    byte[] after = join(body(3), header(Map.of("next", 1), 0));

    InputStream frames = frames(new ByteArrayInputStream(join(hostile, after)));

    BasicProperties read = next(frames, 3);
    assertThat(TolerantConnection.unreadable(read)).contains("cannot be decoded", "nested");
    assertThat((byte[]) read.getHeaders().get(TolerantConnection.UNREADABLE_PROPERTIES))
        .hasSize(hostile.length - 7 - 12 - 1);
    assertThat(frames.readAllBytes()).isEqualTo(after);
  }

  @Test
  void bytes_that_would_fill_the_frame_are_left_out() throws Exception {
    Map<String, Object> headers = Map.of("depth", nested(33), "long", "x".repeat(110_000));

    BasicProperties read = next(frames(new ByteArrayInputStream(header(headers, 3))), 3);

    assertThat(read.getHeaders()).containsOnlyKeys(TolerantConnection.UNREADABLE);
  }

  @Test
  void so_is_a_body_that_the_client_does_not_take() throws Exception {
    byte[] readable = header(Map.of(), MAX_BODY - 1);
    assertThat(frames(new ByteArrayInputStream(readable)).readAllBytes()).isEqualTo(readable);

    byte[] large = header(Map.of(), MAX_BODY);
    BasicProperties read = next(frames(new ByteArrayInputStream(large)), MAX_BODY);

    assertThat(TolerantConnection.unreadable(read))
        .isEqualTo("its body of 1000 bytes reaches maxInboundMessageBodySize of the client, 1000");
  }

  @Test
  void so_is_a_frame_that_is_larger_than_was_agreed_on() throws Exception {
    byte[] header = header(Map.of("long", "x".repeat(5_000)), 3);
    ReadableFrames fitting = frames(new ByteArrayInputStream(header));
    fitting.frameMax(header.length);
    assertThat(fitting.readAllBytes()).isEqualTo(header);

    ReadableFrames small = frames(new ByteArrayInputStream(header));
    small.frameMax(header.length - 1);

    assertThat(TolerantConnection.unreadable(next(small, 3))).contains("frame size");
  }

  /** The client takes a timeout as "no frame yet" and reads on. */
  @Test
  void nothing_is_lost_by_timeouts() throws Exception {
    byte[] all = join(header(Map.of("a", "b"), 3), body(3));
    InputStream frames = frames(new Slow(all));
    ByteArrayOutputStream read = new ByteArrayOutputStream();
    while (read.size() < all.length) {
      try {
        read.write(frames.read());
      } catch (SocketTimeoutException e) {
        assertThat(frames.available()).isLessThan(all.length);
      }
    }
    assertThat(read.toByteArray()).isEqualTo(all);
  }

  @Test
  void what_has_arrived_of_the_next_frame_is_not_said_to_be_available() throws Exception {
    InputStream frames = frames(new ByteArrayInputStream(join(body(3), body(2))));
    int first = body(3).length;

    assertThat(frames.readNBytes(first)).hasSize(first);
    assertThat(frames.available()).isZero();
  }

  private static ReadableFrames frames(InputStream in) {
    return new ReadableFrames(in, MAX_BODY);
  }

  private static BasicProperties next(InputStream frames, long bodySize) throws IOException {
    DataInputStream in = new DataInputStream(frames);
    assertThat(in.readUnsignedByte()).isEqualTo(2);
    assertThat(in.readUnsignedShort()).isEqualTo(CHANNEL);
    DataInputStream payload =
        new DataInputStream(new ByteArrayInputStream(in.readNBytes(in.readInt())));
    assertThat(payload.readShort()).isEqualTo((short) 60);
    BasicProperties properties = new BasicProperties(payload);
    assertThat(properties.getBodySize()).isEqualTo(bodySize);
    assertThat(in.readUnsignedByte()).isEqualTo(0xCE);
    return properties;
  }

  private static byte[] header(Map<String, Object> headers, long bodySize) throws IOException {
    return bytes(new BasicProperties.Builder().headers(headers).build().toFrame(CHANNEL, bodySize));
  }

  private static byte[] body(int size) throws IOException {
    Frame frame = new Frame(3, CHANNEL);
    frame.getOutputStream().write(new byte[size]);
    return bytes(frame);
  }

  private static byte[] bytes(Frame frame) throws IOException {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    frame.writeTo(new DataOutputStream(bytes));
    return bytes.toByteArray();
  }

  private static byte[] join(byte[]... parts) throws IOException {
    ByteArrayOutputStream all = new ByteArrayOutputStream();
    for (byte[] part : parts) {
      all.write(part);
    }
    return all.toByteArray();
  }

  private static Object nested(int depth) {
    Object value = "innermost";
    for (int i = 0; i < depth; i++) {
      value = List.of(value);
    }
    return value;
  }

  /** A byte at a time, with a timeout before each. */
  private static final class Slow extends FilterInputStream {
    private boolean late;

    Slow(byte[] bytes) {
      super(new ByteArrayInputStream(bytes));
    }

    @Override
    public int read(byte[] into, int offset, int length) throws IOException {
      late = !late;
      if (late) {
        throw new SocketTimeoutException();
      }
      return super.read(into, offset, Math.min(1, length));
    }

    @Override
    public int available() {
      return 0;
    }
  }
}
