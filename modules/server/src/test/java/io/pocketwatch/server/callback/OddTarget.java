// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.server.callback;

import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;

/** An HTTP server that behaves as badly as asked, one connection per call. */
final class OddTarget implements AutoCloseable {
  static final String GOOD = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: close\r\n\r\nok";
  static final String BROKEN =
      "HTTP/1.1 500 Internal Server Error\r\nContent-Length: 0\r\nConnection: close\r\n\r\n";
  static final String MID_BODY = "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf of it";

  /** Never answers. */
  static final String SILENT = "";

  private final ServerSocket server;
  private final ExecutorService threads = Executors.newCachedThreadPool();
  private final Function<Call, String> answer;
  private final ConcurrentLinkedQueue<Call> calls = new ConcurrentLinkedQueue<>();
  private final CountDownLatch closed = new CountDownLatch(1);

  OddTarget(Function<Call, String> answer) throws IOException {
    this.server = new ServerSocket(0, 1_000, InetAddress.getLoopbackAddress());
    this.answer = answer;
    threads.execute(this::accept);
  }

  String url() {
    return "http://127.0.0.1:" + server.getLocalPort() + "/hook";
  }

  Collection<Call> calls() {
    return calls;
  }

  private void accept() {
    try {
      while (true) {
        Socket socket = server.accept();
        threads.execute(() -> serve(socket));
      }
    } catch (IOException e) {
      // closed
    }
  }

  private void serve(Socket socket) {
    try (socket;
        InputStream in = new BufferedInputStream(socket.getInputStream());
        OutputStream out = socket.getOutputStream()) {
      String first = line(in);
      if (first.isEmpty()) {
        return;
      }
      Map<String, String> headers = new TreeMap<>();
      for (String line = line(in); !line.isEmpty(); line = line(in)) {
        int colon = line.indexOf(':');
        headers.put(
            line.substring(0, colon).toLowerCase(Locale.ROOT), line.substring(colon + 1).strip());
      }
      byte[] body = in.readNBytes(Integer.parseInt(headers.getOrDefault("content-length", "0")));
      Call call = new Call(headers, new String(body, StandardCharsets.UTF_8), Instant.now());
      calls.add(call);
      String text = answer.apply(call);
      if (text.isEmpty()) {
        closed.await(60, TimeUnit.SECONDS);
      }
      out.write(text.getBytes(StandardCharsets.US_ASCII));
    } catch (IOException e) {
      // the caller has given up
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private static String line(InputStream in) throws IOException {
    StringBuilder line = new StringBuilder();
    for (int next = in.read(); next >= 0 && next != '\n'; next = in.read()) {
      if (next != '\r') {
        line.append((char) next);
      }
    }
    return line.toString();
  }

  @Override
  public void close() {
    closed.countDown();
    threads.shutdownNow();
    try {
      server.close();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /**
   * What was received.
   *
   * @param headers by name in lower case
   * @param at when it was all there
   */
  record Call(Map<String, String> headers, String body, Instant at) {
    String id() {
      return headers.getOrDefault("pocketwatch-id", "");
    }

    /** How late it came. */
    Duration lateness() {
      return Duration.between(Instant.parse(headers.get("pocketwatch-deliver-at")), at);
    }

    int attempt() {
      return Integer.parseInt(headers.getOrDefault("pocketwatch-attempt", "0"));
    }
  }
}
