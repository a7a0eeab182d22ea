// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.server.http;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.util.concurrent.Semaphore;
import java.util.function.Predicate;
import org.eclipse.jetty.http.HttpStatus;
import org.eclipse.jetty.io.Content;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.util.Callback;

/**
 * Reads a request's body before the request is handled, so that a slow client holds no thread. The
 * memory of all bodies together is limited, which Jetty's {@code EagerContentHandler} and {@code
 * SizeLimitHandler} do for one request only.
 */
public final class RequestBodies extends Handler.Wrapper {
  /** Bytes of each body that are not counted: a small message never waits for large ones. */
  private static final int ALWAYS = 16_384;

  private static final int STEP = 65_536;

  private final ConnectionLimit connections;
  private final Semaphore budget;
  private final int largest;
  private final Predicate<Request> wanted;
  private final Predicate<Request> endless;

  /**
   * @param memory how many bytes all requests may have in memory
   * @param largest how many bytes a body may have
   * @param wanted whether the body of a request is read at all
   * @param endless whether the answer to a request does not end
   */
  public RequestBodies(
      ConnectionLimit connections,
      int memory,
      int largest,
      Predicate<Request> wanted,
      Predicate<Request> endless) {
    this.connections = connections;
    this.budget = new Semaphore(memory);
    this.largest = largest;
    this.wanted = wanted;
    this.endless = endless;
  }

  @Override
  public boolean handle(Request request, Response response, Callback callback) {
    ConnectionLimit.Client client = connections.of(request.getConnectionMetaData().getConnection());
    RequestMemory memory = new RequestMemory(budget);
    request.setAttribute(RequestMemory.ATTRIBUTE, memory);
    Callback end =
        Callback.from(
            () -> {
              memory.giveBack();
              client.sends();
            },
            callback);
    Runnable next =
        () -> {
          if (endless.test(request)) {
            client.isLeftAlone();
          } else {
            client.receives();
          }
          pass(request, response, end);
        };
    if (request.getLength() == 0 || !wanted.test(request)) {
      next.run();
    } else {
      client.sends();
      new Body(request, response, end, memory, next).run();
    }
    return true;
  }

  private void pass(Request request, Response response, Callback callback) {
    try {
      if (!super.handle(request, response, callback)) {
        Response.writeError(request, response, callback, HttpStatus.NOT_FOUND_404);
      }
    } catch (Exception | LinkageError e) {
      Response.writeError(request, response, callback, e);
    }
  }

  /** A body that arrives. Run by one thread at a time. */
  private final class Body implements Runnable {
    private final Request request;
    private final Response response;
    private final Callback callback;
    private final RequestMemory memory;
    private final Runnable next;
    private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    private long room = ALWAYS;

    Body(
        Request request,
        Response response,
        Callback callback,
        RequestMemory memory,
        Runnable next) {
      this.request = request;
      this.response = response;
      this.callback = callback;
      this.memory = memory;
      this.next = next;
    }

    @Override
    public void run() {
      while (true) {
        Content.Chunk chunk = request.read();
        if (chunk == null) {
          request.demand(this);
          return;
        }
        if (Content.Chunk.isFailure(chunk)) {
          Response.writeError(request, response, callback, HttpStatus.BAD_REQUEST_400);
          return;
        }
        boolean last = chunk.isLast();
        ByteBuffer buffer = chunk.getByteBuffer();
        boolean tooLarge = bytes.size() + buffer.remaining() > largest;
        boolean kept = !tooLarge && hasRoom(buffer.remaining());
        if (kept) {
          byte[] part = new byte[buffer.remaining()];
          buffer.get(part);
          bytes.writeBytes(part);
        }
        chunk.release();
        if (!tooLarge && !kept) {
          Response.writeError(request, response, callback, HttpStatus.SERVICE_UNAVAILABLE_503);
          return;
        }
        if (tooLarge || last) {
          memory.arrived(tooLarge ? null : bytes.toByteArray());
          next.run();
          return;
        }
      }
    }

    private boolean hasRoom(int more) {
      while (bytes.size() + more > room) {
        if (!memory.take(STEP)) {
          return false;
        }
        room += STEP;
      }
      return true;
    }
  }
}
