// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.internal.base;

import com.rabbitmq.client.ChannelContinuationTimeoutException;
import com.rabbitmq.client.ShutdownSignalException;
import java.io.EOFException;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.net.ConnectException;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.net.UnknownHostException;
import java.nio.channels.ClosedByInterruptException;
import java.nio.channels.ClosedChannelException;
import java.nio.file.AccessDeniedException;
import java.nio.file.NoSuchFileException;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CancellationException;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeoutException;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The reason of a failure, in words for a person. Libraries throw exceptions without a message,
 * with {@code null} in it, or with the class of another exception for a message. So code that shows
 * a reason takes it from here, not from the exception.
 */
public final class ErrorWords {
  private static final String LATE = "no answer in time";
  private static final String LOST = "the connection was lost";
  private static final String INTERRUPTED = "interrupted, as when this program stops";
  private static final String NO_REASON = "no reason given";

  /** Bounds the search: causes may form a circle. */
  private static final int DEEPEST = 20;

  /** A password in the URL of a driver, or in the address of a broker. */
  private static final Pattern PASSWORD =
      Pattern.compile("(?i)(password=)[^&;\\s]*|(//[^:/@\\s]+:)[^@\\s]*(?=@)");

  private static final Pattern CLOSE =
      Pattern.compile("#method<[^>]*>\\(reply-code=\\d+, reply-text=(.*?), class-id=[^)]*\\)");

  private static final Pattern METHOD = Pattern.compile("#method<([^>]*)>(\\([^)]*\\))?");

  /** The class of an exception at the start, perhaps with more words after it. */
  private static final Pattern CLASS =
      Pattern.compile(
          "(?:\\b[a-z_]\\w*\\.)+(?:[A-Z]\\w*\\$)*([A-Z]\\w*(?:Exception|Error|Throwable))"
              + "\\b(: *(?=\\S))?");

  private static final Pattern NULL = Pattern.compile("(?:^|:\\s*)null\\s*$");
  private static final Pattern NEW_LINE = Pattern.compile("\\s*\\R\\s*");
  private static final Pattern CONTROL = Pattern.compile("\\p{Cntrl}");
  private static final Pattern NEXT_WORD =
      Pattern.compile("(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])");

  /** The words for exceptions that mostly have none; subclasses first. */
  private static final Map<Class<?>, String> KINDS = new LinkedHashMap<>();

  static {
    KINDS.put(TimeoutException.class, LATE);
    KINDS.put(SocketTimeoutException.class, LATE);
    KINDS.put(InterruptedException.class, INTERRUPTED);
    KINDS.put(InterruptedIOException.class, INTERRUPTED);
    KINDS.put(ClosedByInterruptException.class, INTERRUPTED);
    KINDS.put(EOFException.class, "the other side closed the connection");
    KINDS.put(ConnectException.class, "nobody accepts connections there");
    KINDS.put(SocketException.class, LOST);
    KINDS.put(ClosedChannelException.class, "the connection is closed");
    KINDS.put(CancellationException.class, "it was cancelled");
    KINDS.put(RejectedExecutionException.class, "it is closed");
  }

  private ErrorWords() {}

  /**
   * The words of the exception itself, or else of its cause; where the broker closed a channel or
   * connection, its reply text. One line, never empty; without passwords, class names and {@code
   * null}. Exceptions of ours keep their words, which may be several lines.
   */
  public static String of(Throwable error) {
    try {
      return words(error, 0);
    } catch (RuntimeException e) { // a foreign exception whose own methods fail
      return kind(error.getClass().getSimpleName());
    }
  }

  private static String words(Throwable error, int depth) {
    if (error instanceof ShutdownSignalException signal) {
      return ofSignal(signal, depth);
    }
    if (error instanceof ChannelContinuationTimeoutException) {
      return LATE; // its own message only names a method of the protocol
    }
    if (error instanceof UnknownHostException && error.getMessage() != null) {
      return "no host has the name '%s'".formatted(error.getMessage().replaceFirst(":.*", ""));
    }
    if (error instanceof NoSuchFileException missing && missing.getReason() == null) {
      return "there is no file '%s'".formatted(missing.getFile());
    }
    if (error instanceof AccessDeniedException denied && denied.getReason() == null) {
      return "no permission for '%s'".formatted(denied.getFile());
    }
    if (ours(error)) {
      return String.valueOf(error.getMessage());
    }
    Throwable cause = depth < DEEPEST ? error.getCause() : null;
    String message = message(error, cause, depth);
    if (!message.isEmpty()) {
      return message;
    }
    boolean known = error instanceof ConnectException && !anyMessage(cause);
    return cause == null || known ? kind(error) : words(cause, depth + 1);
  }

  private static boolean anyMessage(@Nullable Throwable error) {
    Throwable each = error;
    for (int depth = 0; each != null && depth < DEEPEST; depth++) {
      if (each.getMessage() != null) {
        return true;
      }
      each = each.getCause();
    }
    return false;
  }

  /** Whether the exception is ours. */
  private static boolean ours(Throwable error) {
    String message = error.getMessage();
    return message != null
        && !message.isBlank()
        && error.getClass().getName().startsWith("io.pocketwatch.");
  }

  private static String ofSignal(ShutdownSignalException signal, int depth) {
    if (signal.isInitiatedByApplication()) {
      return "it was closed by this program";
    }
    Optional<String> reply = BrokerError.reply(signal).filter(words -> !words.isBlank());
    Throwable cause = signal.getCause();
    if (reply.isPresent() || cause == null || depth >= DEEPEST) {
      return reply.map(ErrorWords::clean).orElse(LOST);
    }
    String why = words(cause, depth + 1);
    return why.startsWith(LOST) ? why : LOST + ": " + why;
  }

  /** The exception's own message; empty if it has none. */
  private static String message(Throwable error, @Nullable Throwable cause, int depth) {
    String message = error.getMessage();
    if (message == null || message.isBlank()) {
      return "";
    }
    if (cause != null && !cause.toString().isBlank()) {
      String why = words(cause, depth + 1);
      message = message.replace(cause.toString(), why);
      String of = cause.getMessage();
      if (of != null && !of.isBlank() && message.endsWith(": " + of)) {
        message = message.substring(0, message.length() - of.length()) + why;
      }
    }
    Matcher nothing = NULL.matcher(message);
    if (nothing.find()) {
      String before = message.substring(0, nothing.start()).strip();
      String why = cause == null ? "" : words(cause, depth + 1);
      message = before + (before.isEmpty() || why.isEmpty() ? "" : ": ") + why;
    }
    return clean(message);
  }

  private static String clean(String message) {
    String line =
        CONTROL.matcher(NEW_LINE.matcher(message.strip()).replaceAll(" ")).replaceAll("?");
    line = METHOD.matcher(CLOSE.matcher(line).replaceAll("$1")).replaceAll("$1");
    line = PASSWORD.matcher(line).replaceAll("$1$2***");
    return CLASS
        .matcher(line)
        .replaceAll(
            found -> found.group(2) == null ? Matcher.quoteReplacement(kind(found.group(1))) : "");
  }

  /** The words for an exception without a message. */
  private static String kind(Throwable error) {
    for (Map.Entry<Class<?>, String> kind : KINDS.entrySet()) {
      if (kind.getKey().isInstance(error)) {
        return kind.getValue();
      }
    }
    if (error.getClass() == IOException.class) {
      return "reading or writing failed, and " + NO_REASON;
    }
    Class<?> type = error.getClass();
    while (type.getSimpleName().isEmpty()) { // an anonymous class
      type = type.getSuperclass();
    }
    return kind(type.getSimpleName());
  }

  /** A class name such as {@code IllegalStateException}, as words. */
  private static String kind(String type) {
    String name =
        type.replaceFirst("(Exception|Error|Throwable)$", "").replaceFirst("^Runtime$", "");
    StringBuilder words = new StringBuilder();
    for (String word : NEXT_WORD.split(name)) {
      boolean initials = word.length() > 1 && word.equals(word.toUpperCase(Locale.ROOT));
      words.append(words.isEmpty() ? "" : " ");
      words.append(initials ? word : word.toLowerCase(Locale.ROOT));
    }
    return words.isEmpty() ? NO_REASON : NO_REASON + " (" + words + ")";
  }
}
