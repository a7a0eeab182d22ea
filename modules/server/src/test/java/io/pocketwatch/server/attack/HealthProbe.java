// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.server.attack;

import java.io.IOException;
import java.net.HttpURLConnection;
import java.net.URI;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/** Asks for the health again and again, on a new connection each time, as an orchestrator does. */
final class HealthProbe implements AutoCloseable {
  private static final int EVERY_MILLIS = 200;
  private static final int PATIENCE_MILLIS = 20_000;

  private final URI page;
  private final List<Long> millis = new CopyOnWriteArrayList<>();
  private final List<String> wrong = new CopyOnWriteArrayList<>();
  private final Thread thread = new Thread(this::run, "health-probe");
  private volatile boolean closed;

  HealthProbe(URI page) {
    this.page = page;
    thread.setDaemon(true);
    thread.start();
  }

  private void run() {
    while (!closed) {
      long begun = System.nanoTime();
      try {
        ask();
      } catch (IOException e) {
        wrong.add(e.toString());
      }
      long took = (System.nanoTime() - begun) / 1_000_000;
      millis.add(took);
      try {
        Thread.sleep(Math.max(1, EVERY_MILLIS - took)); // the rhythm of what is measured
      } catch (InterruptedException e) {
        return;
      }
    }
  }

  private void ask() throws IOException {
    HttpURLConnection connection = (HttpURLConnection) page.toURL().openConnection();
    connection.setConnectTimeout(PATIENCE_MILLIS);
    connection.setReadTimeout(PATIENCE_MILLIS);
    connection.setRequestProperty("Connection", "close");
    int status = connection.getResponseCode();
    if (status != HttpURLConnection.HTTP_OK) {
      wrong.add("status " + status);
    }
    connection.disconnect();
  }

  List<Long> millis() {
    return List.copyOf(millis);
  }

  List<String> wrong() {
    return List.copyOf(wrong);
  }

  @Override
  public void close() throws InterruptedException {
    closed = true;
    thread.interrupt();
    thread.join();
  }
}
