// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.server.http;

import io.javalin.config.RoutesConfig;
import io.javalin.http.Context;
import io.javalin.http.HttpResponseException;
import io.javalin.http.MethodNotAllowedResponse;
import io.pocketwatch.InvalidMessageException;
import io.pocketwatch.TopologyException;
import io.pocketwatch.UnknownTargetException;
import io.pocketwatch.internal.base.ErrorWords;
import io.pocketwatch.schedule.ScheduleException;
import io.pocketwatch.schedule.ScheduleException.OtherVersionException;
import io.pocketwatch.schedule.ScheduleException.OwnedByYamlException;
import io.pocketwatch.schedule.ScheduleException.UnknownScheduleException;
import io.pocketwatch.store.IdConflictException;
import io.pocketwatch.store.StoreException;
import java.time.Duration;
import java.util.UUID;
import java.util.concurrent.CompletionException;
import java.util.concurrent.atomic.AtomicBoolean;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Turns any exception of a request into a problem. */
public final class ProblemOfFailure {
  public static final Duration COME_AGAIN = Duration.ofSeconds(1);

  private static final Logger LOG = LoggerFactory.getLogger("serve");

  /** Whether the log says that the database does not answer. */
  private static final AtomicBoolean AWAY = new AtomicBoolean();

  private ProblemOfFailure() {}

  /** Handles exceptions of all paths; paths outside of the interface get plain text. */
  public static void addTo(RoutesConfig routes) {
    routes.exception(Exception.class, (failure, context) -> Answers.problem(context, of(failure)));
    routes.exception(
        HttpResponseException.class,
        (refused, context) -> {
          if (context.path().startsWith(HttpPart.REST)) {
            Answers.problem(context, ofServer(refused, context));
          } else {
            if (refused instanceof MethodNotAllowedResponse) {
              context.header("Allow", allowed(refused));
            }
            context.status(refused.getStatus()).result(ErrorWords.of(refused) + "\n");
          }
        });
  }

  /** The problem for a refusal by Javalin. */
  private static Problem ofServer(HttpResponseException refused, Context context) {
    if (refused instanceof MethodNotAllowedResponse) {
      String allowed = allowed(refused);
      return Problem.of(
              ProblemType.METHOD_NOT_ALLOWED, "%s answers %s".formatted(context.path(), allowed))
          .header("Allow", allowed);
    }
    return switch (refused.getStatus()) {
      case 404 -> Problem.of(ProblemType.NOT_FOUND, "there is nothing at " + context.path());
      case 413 -> Problem.of(ProblemType.TOO_LARGE, "the request is too large");
      case 400 -> Problem.of(ProblemType.MALFORMED, "the request cannot be read");
      default -> incident(refused);
    };
  }

  private static String allowed(HttpResponseException refused) {
    return refused.getDetails().getOrDefault("availableMethods", "GET");
  }

  public static Problem of(Throwable failure) {
    Throwable cause =
        failure instanceof CompletionException && failure.getCause() != null
            ? failure.getCause()
            : failure;
    if (cause instanceof Problem known) {
      return known;
    }
    if (cause instanceof IdConflictException) {
      return Problem.of(ProblemType.ID_CONFLICT, words(cause));
    }
    if (cause instanceof ScheduleException refused) {
      return Problem.of(type(refused), words(refused));
    }
    if (cause instanceof StoreException) {
      return storeAway(words(cause), "the database does not answer").retryAfter(COME_AGAIN);
    }
    if (cause instanceof UnknownTargetException) {
      return Problem.of(ProblemType.UNKNOWN_TARGET, words(cause));
    }
    if (cause instanceof InvalidMessageException || cause instanceof TopologyException) {
      return Problem.of(ProblemType.INVALID_MESSAGE, words(cause));
    }
    return incident(cause);
  }

  private static ProblemType type(ScheduleException refused) {
    if (refused instanceof UnknownScheduleException) {
      return ProblemType.UNKNOWN_SCHEDULE;
    }
    if (refused instanceof OwnedByYamlException) {
      return ProblemType.SCHEDULE_OWNED_BY_YAML;
    }
    return refused instanceof OtherVersionException
        ? ProblemType.OTHER_VERSION
        : ProblemType.IMPOSSIBLE_SCHEDULE;
  }

  /**
   * @param why the database's message, for our log only
   * @param said the text for the caller
   */
  public static Problem storeAway(String why, String said) {
    if (AWAY.compareAndSet(false, true)) { // an open console asks several times a second
      LOG.warn("The database does not answer, and so requests are refused: {}", why);
    } else {
      LOG.debug("A request could not be answered: {}", why);
    }
    return Problem.of(ProblemType.STORE_UNAVAILABLE, said + "; try again in a moment");
  }

  /** Notes that the database has answered. */
  public static void storeThere() {
    if (AWAY.compareAndSet(true, false)) {
      LOG.info("The database answers again");
    }
  }

  private static String words(Throwable failure) {
    return ErrorWords.of(failure);
  }

  private static Problem incident(Throwable failure) {
    String incident = UUID.randomUUID().toString();
    LOG.error("A request failed by a fault of ours, incident {}", incident, failure);
    return Problem.of(
            ProblemType.INTERNAL, "a fault of this server; its log says more under " + incident)
        .with("incident", incident);
  }
}
