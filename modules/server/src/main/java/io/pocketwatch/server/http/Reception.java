// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.server.http;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.http.HttpStatus;
import org.eclipse.jetty.io.Content;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.util.Callback;

/**
 * Takes a request's body in before anybody works on it: a client that sends slowly holds neither a
 * thread nor a turn. What all bodies take in memory is bounded.
 */
public final class Reception extends Handler.Wrapper {
  /** Of each body, and not counted: a small message never waits for the large ones of others. */
  private static final int ALWAYS = 16_384;

  private static final int STEP = 65_536;
  private static final Duration LOOK_AGAIN = Duration.ofMillis(50);
  private static final Duration LONGEST_WAIT = Duration.ofSeconds(5);

  private final Connections connections;
  private final MemoryBudget budget;
  private final int largest;
  private final Predicate<Request> wanted;
  private final Predicate<Request> followed;

  /**
   * @param memory how many bytes all requests may have in memory
   * @param largest how many bytes a body may have
   * @param wanted whose body is read at all: of the others nobody wants it
   * @param followed whose answer does not end
   */
  public Reception(
      Connections connections,
      long memory,
      int largest,
      Predicate<Request> wanted,
      Predicate<Request> followed) {
    this.connections = connections;
    this.budget = new MemoryBudget(memory);
    this.largest = largest;
    this.wanted = wanted;
    this.followed = followed;
  }

  @Override
  public boolean handle(Request request, Response response, Callback callback) {
    Connections.Client client = connections.of(request.getConnectionMetaData().getConnection());
    RequestMemory memory = new RequestMemory(budget);
    request.setAttribute(RequestMemory.ATTRIBUTE, memory);
    Callback end =
        Callback.from(
            () -> {
              memory.giveBack();
              client.sendsHead();
            },
            callback);
    Visit visit = new Visit(request, response, end, client, memory);
    if (request.getLength() == 0 || !wanted.test(request)) {
      visit.goOn(request);
    } else {
      client.sendsBody();
      visit.run();
    }
    return true;
  }

  /** One request until its body is there. Run by one thread at a time. */
  private final class Visit implements Runnable {
    private final Request request;
    private final Response response;
    private final Callback callback;
    private final Connections.Client client;
    private final RequestMemory memory;
    private ByteArrayOutputStream body = new ByteArrayOutputStream();
    private long room = ALWAYS;
    private long waitsSince;

    Visit(
        Request request,
        Response response,
        Callback callback,
        Connections.Client client,
        RequestMemory memory) {
      this.request = request;
      this.response = response;
      this.callback = callback;
      this.client = client;
      this.memory = memory;
    }

    @Override
    public void run() {
      try {
        read();
      } catch (RuntimeException e) {
        Response.writeError(request, response, callback, e);
      }
    }

    private void read() {
      while (hasRoom()) {
        Content.Chunk chunk = request.read();
        if (chunk == null) {
          request.demand(this);
          return;
        }
        if (Content.Chunk.isFailure(chunk)) {
          Response.writeError(request, response, callback, HttpStatus.BAD_REQUEST_400);
          return;
        }
        keep(chunk.getByteBuffer());
        chunk.release();
        if (body.size() > largest) {
          forget();
          memory.tooLarge();
          goOn(request);
          return;
        }
        if (chunk.isLast()) {
          memory.arrived(body.toByteArray());
          forget();
          goOn(new WithoutBody(request));
          return;
        }
      }
    }

    private boolean hasRoom() {
      if (body.size() < room) {
        return true;
      }
      if (memory.take(STEP)) {
        room += STEP;
        if (waitsSince != 0) {
          waitsSince = 0;
          client.sendsBody();
        }
        return true;
      }
      long now = System.nanoTime();
      if (waitsSince == 0) {
        waitsSince = now;
        client.waits();
      }
      if (now - waitsSince > LONGEST_WAIT.toNanos()) {
        forget();
        response.getHeaders().put(HttpHeader.RETRY_AFTER, LONGEST_WAIT.toSeconds());
        Response.writeError(request, response, callback, HttpStatus.SERVICE_UNAVAILABLE_503);
      } else {
        request
            .getComponents()
            .getScheduler()
            .schedule(
                () -> request.getComponents().getExecutor().execute(this),
                LOOK_AGAIN.toMillis(),
                TimeUnit.MILLISECONDS);
      }
      return false;
    }

    private void keep(ByteBuffer buffer) {
      byte[] part = new byte[buffer.remaining()];
      buffer.get(part);
      body.writeBytes(part);
    }

    private void forget() {
      body = new ByteArrayOutputStream(0);
    }

    void goOn(Request withBody) {
      if (followed.test(request)) {
        client.follows();
      } else {
        client.takesAnswer();
      }
      try {
        if (!Reception.super.handle(withBody, response, callback)) {
          Response.writeError(request, response, callback, HttpStatus.NOT_FOUND_404);
        }
      } catch (Exception | LinkageError e) {
        Response.writeError(request, response, callback, e);
      }
    }
  }

  /** Its body has been read, and is in {@link RequestMemory}. */
  private static final class WithoutBody extends Request.Wrapper {
    WithoutBody(Request request) {
      super(request);
    }

    @Override
    public Content.Chunk read() {
      return Content.Chunk.EOF;
    }

    @Override
    public void demand(Runnable demandCallback) {
      demandCallback.run();
    }
  }
}
