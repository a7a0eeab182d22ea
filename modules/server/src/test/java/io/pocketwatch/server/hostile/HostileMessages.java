// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.server.hostile;

import static io.pocketwatch.server.hostile.RawPublisher.bytes;
import static io.pocketwatch.server.hostile.RawPublisher.shortString;

import io.pocketwatch.Headers;
import io.pocketwatch.server.hostile.RawPublisher.Part;
import java.io.DataOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeSet;

/** Makes messages that do harm where anything trusts them; the same for the same seed. */
final class HostileMessages {
  private static final int DEEPEST_READABLE = 32;
  private static final int LARGEST_HEADER = 110_000;

  /** What a receiver of Pocketwatch's reads, or the broker. */
  private static final List<String> READ_BY_SOMEBODY =
      List.of(
          Headers.ID,
          Headers.DELIVER_AT,
          Headers.EXCHANGE,
          Headers.GENERATION,
          Headers.ROUTE,
          Headers.ROUTING_KEY,
          Headers.CC,
          "pocketwatch-callback-attempts",
          "pocketwatch-parked",
          "pocketwatch-unreadable",
          "x-death",
          "x-first-death-queue",
          "x-last-death-exchange",
          "x-delivery-count",
          "x-acquired-count",
          "x-opt-delivery-time",
          "x-delay",
          "CC",
          "BCC");

  private final Random random;
  private final Ground ground;

  /**
   * Where they may go.
   *
   * @param exchanges ours
   * @param queues of consumers
   * @param keys of bindings between ours
   * @param routes by name
   */
  record Ground(
      List<String> exchanges, List<String> queues, List<String> keys, List<String> routes) {}

  HostileMessages(long seed, Ground ground) {
    this.random = new Random(seed);
    this.ground = ground;
  }

  HostileMessage next() {
    TreeSet<String> kind = new TreeSet<>();
    boolean direct = random.nextInt(10) < 6;
    String exchange = direct ? "" : any(ground.exchanges());
    byte[] key = direct ? utf8(any(ground.queues())) : key();
    Map<String, byte[]> headers = new LinkedHashMap<>();
    boolean readable = true;
    for (int i = random.nextInt(4); i > 0; i--) {
      String name = any(READ_BY_SOMEBODY);
      kind.add(name);
      headers.put(name, forged(name));
    }
    if (random.nextInt(4) == 0) {
      kind.add("forged as tracked");
      headers.put(Headers.ID, string(id()));
      headers.put(Headers.ROUTE, string(utf8(any(ground.routes()))));
      headers.put(Headers.GENERATION, value('I', out -> out.writeInt(random.nextInt(5) - 1)));
    }
    if (random.nextInt(3) == 0) {
      kind.add("steered");
      headers.put("BCC", keys());
    }
    if (random.nextInt(12) == 0) {
      int depth = any(List.of(1, 30, 31, 33, 40, 300, 5_000));
      kind.add("nested " + depth);
      headers.put("nested", nested(depth));
      readable = depth <= DEEPEST_READABLE - 1;
    }
    if (random.nextInt(8) == 0) {
      kind.add("any type");
      headers.put(new String(text(), StandardCharsets.ISO_8859_1), anything(3));
    }
    return new HostileMessage(
        kind.toString(), exchange, key, properties(headers, kind), body(kind), readable);
  }

  private byte[] properties(Map<String, byte[]> headers, TreeSet<String> kind) {
    if (random.nextInt(25) == 0) {
      kind.add("garbage in place of properties");
      byte[] garbage = new byte[random.nextInt(60)];
      random.nextBytes(garbage);
      return garbage;
    }
    int flags = 0;
    List<Part> parts = new ArrayList<>();
    // In the order of the flags, from the highest on.
    flags |= text(parts, 15);
    flags |= text(parts, 14);
    if (!headers.isEmpty()) {
      flags |= 1 << 13;
      byte[] table = table(headers);
      parts.add(out -> out.write(table));
    }
    flags |= octet(parts, 12, any(List.of(0, 1, 2, 9, 255)));
    flags |= octet(parts, 11, any(List.of(0, 1, 31, 200, 255)));
    flags |= text(parts, 10);
    if (random.nextInt(8) == 0) {
      flags |= 1 << 9;
      byte[] replyTo =
          random.nextBoolean() ? utf8("amq.rabbitmq.reply-to") : utf8(any(ground.queues()));
      parts.add(out -> shortString(out, replyTo));
    }
    if (random.nextInt(2) == 0) {
      flags |= 1 << 8;
      String expiration =
          random.nextInt(10) > 0
              ? any(List.of("0", "1", "500", "60000", "4294967295"))
              : any(List.of("99999999999", "-1", "1.5", "x", "", " 7"));
      parts.add(out -> shortString(out, expiration));
    }
    flags |= text(parts, 7);
    if (random.nextInt(6) == 0) {
      flags |= 1 << 6;
      long time = any(List.of(0L, -1L, Long.MIN_VALUE, Long.MAX_VALUE, 4_000_000_000L));
      parts.add(out -> out.writeLong(time));
    }
    flags |= text(parts, 5);
    if (random.nextInt(30) == 0) {
      flags |= 1 << 4;
      parts.add(out -> shortString(out, "stranger"));
    }
    flags |= text(parts, 3);
    int all = flags;
    return bytes(
        out -> {
          out.writeShort(all);
          for (Part part : parts) {
            part.to(out);
          }
        });
  }

  private int text(List<Part> parts, int bit) {
    if (random.nextInt(6) > 0) {
      return 0;
    }
    byte[] text = text();
    parts.add(out -> shortString(out, text));
    return 1 << bit;
  }

  private int octet(List<Part> parts, int bit, int value) {
    if (random.nextInt(3) > 0) {
      return 0;
    }
    parts.add(out -> out.writeByte(value));
    return 1 << bit;
  }

  private byte[] body(TreeSet<String> kind) {
    int size = any(List.of(0, 0, 1, 20, 20, 300, 5_000, 150_000, 1_200_000));
    if (size > 1_000_000 && random.nextInt(3) > 0) {
      size = 1;
    }
    if (size > 100_000) {
      kind.add("large");
    }
    byte[] body = new byte[size];
    random.nextBytes(body);
    return body;
  }

  private byte[] key() {
    return switch (random.nextInt(6)) {
      case 0 -> text();
      case 1 -> utf8(any(ground.queues()));
      default -> utf8(any(ground.keys()));
    };
  }

  private byte[] keys() {
    return switch (random.nextInt(6)) {
      case 0 -> anything(2);
      case 1 -> string(key());
      case 2 -> { // one that would arrive
        yield array(List.of(string(utf8("pw-queues")), string(utf8(any(ground.queues())))));
      }
      default -> {
        List<byte[]> some = new ArrayList<>();
        for (int i = random.nextInt(20) == 0 ? 200 : random.nextInt(6); i >= 0; i--) {
          some.add(string(key()));
        }
        yield array(some);
      }
    };
  }

  private byte[] forged(String name) {
    if (random.nextInt(3) == 0) {
      return anything(2);
    }
    return switch (name) {
      case Headers.ID -> string(id());
      case Headers.EXCHANGE -> string(utf8(any(ground.exchanges())));
      case Headers.ROUTE -> string(utf8(any(ground.routes())));
      case Headers.ROUTING_KEY -> string(key());
      case "CC", "BCC", Headers.CC -> keys();
      case "x-death" -> deaths();
      default -> {
        long number =
            any(List.of(0L, 1L, -1L, 2L, 1_000_000L, Long.MAX_VALUE, Long.MIN_VALUE, 1L << 31));
        yield value('l', out -> out.writeLong(number));
      }
    };
  }

  private byte[] deaths() {
    List<byte[]> all = new ArrayList<>();
    for (int i = random.nextInt(4); i > 0; i--) {
      Map<String, byte[]> death = new LinkedHashMap<>();
      death.put("queue", random.nextBoolean() ? string(utf8(any(ground.queues()))) : anything(1));
      death.put("exchange", string(utf8(any(ground.exchanges()))));
      death.put("reason", random.nextBoolean() ? string(utf8("expired")) : anything(1));
      death.put("count", value('l', out -> out.writeLong(random.nextLong())));
      death.put("time", random.nextBoolean() ? value('T', out -> out.writeLong(1)) : anything(1));
      death.put("routing-keys", array(List.of(string(key()))));
      all.add(value('F', out -> out.write(table(death))));
    }
    return array(all);
  }

  private byte[] id() {
    return switch (random.nextInt(7)) {
      case 0 -> new byte[0];
      case 1 -> utf8("nul\0inside");
      case 2 -> utf8("x".repeat(50_000));
      case 3 -> new byte[] {(byte) 0xff, (byte) 0xc0, 0x1b, '[', '3', '1', 'm'};
      case 4 -> utf8("../..\r\n\t\\");
      default -> utf8("id-" + random.nextInt(10));
    };
  }

  private byte[] text() {
    return switch (random.nextInt(7)) {
      case 0 -> new byte[0];
      case 1 -> utf8("x".repeat(255));
      case 2 -> utf8("text/plain\r\nForged: header");
      case 3 -> new byte[] {(byte) 0xff, (byte) 0xfe, 0, 1, 2};
      case 4 -> utf8("\u001b[2J\u202e");
      default -> utf8("application/json");
    };
  }

  private byte[] anything(int deep) {
    byte[] some = text();
    return switch (random.nextInt(deep > 0 ? 20 : 17)) {
      case 0 -> value('S', out -> longBytes(out, some));
      case 1 -> value('x', out -> longBytes(out, some));
      case 2 -> value('t', out -> out.writeByte(random.nextInt(3)));
      case 3 -> value('b', out -> out.writeByte(random.nextInt()));
      case 4 -> value('B', out -> out.writeByte(random.nextInt()));
      case 5 -> value('s', out -> out.writeShort(random.nextInt()));
      case 6 -> value('u', out -> out.writeShort(random.nextInt()));
      case 7 -> value('I', out -> out.writeInt(random.nextInt()));
      case 8 -> value('i', out -> out.writeInt(random.nextInt()));
      case 9 -> value('l', out -> out.writeLong(random.nextLong()));
      case 10 -> value('L', out -> out.writeLong(random.nextLong()));
      case 11 -> value('f', out -> out.writeInt(random.nextInt()));
      case 12 -> value('d', out -> out.writeLong(random.nextLong()));
      case 13 -> value('T', out -> out.writeLong(random.nextLong()));
      case 14 -> value('V', out -> {});
      case 15 ->
          value(
              'D',
              out -> {
                out.writeByte(random.nextInt());
                out.writeInt(random.nextInt());
              });
      case 16 -> // which no broker takes
          value((char) random.nextInt(256), out -> out.write(some));
      case 17 -> array(List.of(anything(deep - 1), anything(deep - 1)));
      case 18 -> array(List.of());
      default -> {
        Map<String, byte[]> inner = new LinkedHashMap<>();
        inner.put("a", anything(deep - 1));
        inner.put("", anything(deep - 1));
        yield value('F', out -> out.write(table(inner)));
      }
    };
  }

  private byte[] nested(int depth) {
    boolean tables = random.nextBoolean();
    byte[] value = value('V', out -> {});
    for (int i = 0; i < depth && value.length < LARGEST_HEADER; i++) {
      byte[] inner = value;
      value =
          tables ? value('F', out -> out.write(table(Map.of("k", inner)))) : array(List.of(inner));
    }
    return value;
  }

  private static byte[] array(List<byte[]> values) {
    byte[] all =
        bytes(
            out -> {
              for (byte[] each : values) {
                out.write(each);
              }
            });
    return value('A', out -> longBytes(out, all));
  }

  private static byte[] table(Map<String, byte[]> entries) {
    byte[] all =
        bytes(
            out -> {
              for (Map.Entry<String, byte[]> each : entries.entrySet()) {
                byte[] name = each.getKey().getBytes(StandardCharsets.ISO_8859_1);
                shortString(out, Arrays.copyOf(name, Math.min(name.length, 255)));
                out.write(each.getValue());
              }
            });
    return bytes(out -> longBytes(out, all));
  }

  private static byte[] string(byte[] text) {
    return value('S', out -> longBytes(out, text));
  }

  private static byte[] value(char type, Part part) {
    return bytes(
        out -> {
          out.writeByte(type);
          part.to(out);
        });
  }

  private static void longBytes(DataOutputStream out, byte[] some) throws IOException {
    out.writeInt(some.length);
    out.write(some);
  }

  private <T> T any(List<T> all) {
    return all.get(random.nextInt(all.size()));
  }

  private static byte[] utf8(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }
}
