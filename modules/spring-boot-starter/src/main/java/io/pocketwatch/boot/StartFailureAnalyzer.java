// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.boot;

import io.pocketwatch.InvalidMessageException;
import io.pocketwatch.PocketwatchException;
import io.pocketwatch.boot.PocketwatchProperties.InitializeSchema;
import io.pocketwatch.guard.OvertakenException;
import io.pocketwatch.internal.base.ErrorWords;
import io.pocketwatch.store.IdConflictException;
import io.pocketwatch.store.StoreException;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.boot.diagnostics.FailureAnalyzer;
import org.springframework.core.env.Environment;

/** Shows Pocketwatch's refusals at the start as Boot shows its own. */
final class StartFailureAnalyzer implements FailureAnalyzer {
  private static final String ACTION =
      "Correct what is named above. The keys below 'pocketwatch' are explained in Pocketwatch's"
          + " config/pocketwatch.yml.";
  private static final String TABLES =
      "Missing tables are made at the start with 'pocketwatch.store.initialize-schema: always'.";

  /** Tables with another prefix are not made. */
  private static final String MISSING = "no Pocketwatch tables (prefix 'pocketwatch_')";

  /** Errors of single messages, as a runner may get, which no configuration would mend. */
  private static final Set<Class<?>> OF_MESSAGES =
      Set.of(IdConflictException.class, InvalidMessageException.class, OvertakenException.class);

  private final @Nullable Environment environment;

  /**
   * @param environment null if the application failed before it had one
   */
  StartFailureAnalyzer(@Nullable Environment environment) {
    this.environment = environment;
  }

  @Override
  public @Nullable FailureAnalysis analyze(Throwable failure) {
    for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
      if (isOurs(cause)) {
        return new FailureAnalysis(
            ErrorWords.of(cause),
            cause instanceof StoreException && wouldMake(ErrorWords.of(cause)) ? TABLES : ACTION,
            cause);
      }
    }
    return null;
  }

  private boolean wouldMake(String problem) {
    return problem.contains(MISSING)
        && environment != null
        && Binder.get(environment)
                .bind("pocketwatch.store.initialize-schema", InitializeSchema.class)
                .orElse(InitializeSchema.EMBEDDED)
            != InitializeSchema.ALWAYS;
  }

  /** True also for an illegal argument or state, if our code has thrown it. */
  private static boolean isOurs(Throwable cause) {
    StackTraceElement[] trace = cause.getStackTrace();
    return cause instanceof PocketwatchException && !OF_MESSAGES.contains(cause.getClass())
        || (cause instanceof IllegalArgumentException || cause instanceof IllegalStateException)
            && trace.length > 0
            && trace[0].getClassName().startsWith("io.pocketwatch.");
  }
}
