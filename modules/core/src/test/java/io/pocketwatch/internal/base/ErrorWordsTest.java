// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.internal.base;

import static org.assertj.core.api.Assertions.assertThat;

import com.rabbitmq.client.AMQP;
import com.rabbitmq.client.AlreadyClosedException;
import com.rabbitmq.client.AuthenticationFailureException;
import com.rabbitmq.client.ChannelContinuationTimeoutException;
import com.rabbitmq.client.ConsumerCancelledException;
import com.rabbitmq.client.MalformedFrameException;
import com.rabbitmq.client.Method;
import com.rabbitmq.client.MissedHeartbeatException;
import com.rabbitmq.client.PossibleAuthenticationFailureException;
import com.rabbitmq.client.ProtocolVersionMismatchException;
import com.rabbitmq.client.ShutdownSignalException;
import com.rabbitmq.client.TopologyRecoveryException;
import com.rabbitmq.client.UnexpectedMethodError;
import com.rabbitmq.client.UnknownClassOrMethodId;
import java.io.EOFException;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.io.UncheckedIOException;
import java.net.ConnectException;
import java.net.NoRouteToHostException;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.net.UnknownHostException;
import java.nio.channels.ClosedByInterruptException;
import java.nio.channels.ClosedChannelException;
import java.nio.file.AccessDeniedException;
import java.nio.file.NoSuchFileException;
import java.util.NoSuchElementException;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeoutException;
import java.util.function.Function;
import java.util.stream.Stream;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLHandshakeException;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class ErrorWordsTest {
  private static final AMQP.Channel.Close CHANNEL =
      new AMQP.Channel.Close.Builder()
          .replyCode(403)
          .replyText("ACCESS_REFUSED - access to queue 'a' in vhost '/' refused")
          .build();
  private static final AMQP.Connection.Close CONNECTION =
      new AMQP.Connection.Close.Builder()
          .replyCode(320)
          .replyText("CONNECTION_FORCED - shutdown")
          .build();

  /** The client's, the network's and the JDK's, as they are thrown: mostly without a message. */
  static Stream<Throwable> errors() {
    return Stream.of(
        signal(true, CONNECTION),
        signal(true, null),
        signal(false, CHANNEL),
        new ShutdownSignalException(true, true, CONNECTION, null),
        lost(new EOFException()),
        lost(new SocketException("Connection reset")),
        lost(new SocketTimeoutException()),
        lost(new MissedHeartbeatException("Heartbeat missing with heartbeat = 60 seconds")),
        new AlreadyClosedException(signal(false, CHANNEL)),
        new AlreadyClosedException(lost(new EOFException())),
        new ChannelContinuationTimeoutException(
            new TimeoutException(), null, 1, new AMQP.Channel.Open.Builder().build()),
        new PossibleAuthenticationFailureException(new EOFException()),
        new AuthenticationFailureException("ACCESS_REFUSED - Login was refused"),
        new MalformedFrameException("AMQP protocol version mismatch"),
        new ProtocolVersionMismatchException(
            new com.rabbitmq.client.impl.Version(0, 9), new com.rabbitmq.client.impl.Version(1, 0)),
        new UnknownClassOrMethodId(1, 2),
        new ConsumerCancelledException(),
        new TopologyRecoveryException("Caught an exception", new IOException()),
        new UnexpectedMethodError(new AMQP.Channel.Open.Builder().build()),
        new TimeoutException(),
        new SocketTimeoutException(),
        new InterruptedException(),
        new InterruptedIOException(),
        new ClosedByInterruptException(),
        new EOFException(),
        new ConnectException(),
        new NoRouteToHostException(),
        new UnknownHostException(),
        new UnknownHostException("rabbit: Name or service not known"),
        new SocketException(),
        new ClosedChannelException(),
        new SSLException((String) null),
        new SSLHandshakeException(null),
        new NoSuchFileException("/etc/pocketwatch.yml"),
        new AccessDeniedException("/etc/pocketwatch.yml"),
        new IOException(),
        new CancellationException(),
        new RejectedExecutionException(),
        new IllegalStateException(),
        new IllegalStateException("null"),
        new RuntimeException(),
        new RuntimeException("java.lang.IllegalStateException"),
        new Exception(),
        new NoSuchElementException(),
        new StackOverflowError(),
        new OutOfMemoryError(),
        new Error(),
        new Throwable(),
        new RuntimeException() {});
  }

  /** Each alone, and below what others wrap it in. */
  static Stream<Throwable> wrapped() {
    Stream<Function<Throwable, Throwable>> wrappers =
        Stream.of(
            error -> error,
            IOException::new,
            CompletionException::new,
            ExecutionException::new,
            error -> new IOException(null, error),
            error -> new IOException("", error),
            error -> new IllegalStateException("it failed: " + error, error),
            error -> new IllegalStateException("it failed: " + error.getMessage(), error),
            error -> new UncheckedIOException(new IOException(new RuntimeException(error))));
    return wrappers.flatMap(wrapper -> errors().map(wrapper));
  }

  @ParameterizedTest
  @MethodSource("wrapped")
  void a_reason_is_words(Throwable error) {
    assertThat(ErrorWords.of(error))
        .isNotBlank()
        .doesNotContain("null", "Exception", "Error", "java.", "rabbitmq.", "#method", "\n")
        .doesNotMatch(".*[:;,]\\s*$")
        .containsPattern("[a-z]{3}");
  }

  @Test
  void the_brokers_words_are_its_reply() {
    assertThat(ErrorWords.of(new IOException(signal(false, CHANNEL))))
        .isEqualTo("ACCESS_REFUSED - access to queue 'a' in vhost '/' refused");
    assertThat(ErrorWords.of(new IOException("closed: " + signal(true, CONNECTION).getMessage())))
        .isEqualTo("closed: connection error; protocol method: CONNECTION_FORCED - shutdown");
    assertThat(ErrorWords.of(new ShutdownSignalException(true, true, CONNECTION, null)))
        .isEqualTo("it was closed by this program");
  }

  @Test
  void what_has_no_words_is_named_by_its_kind() {
    assertThat(ErrorWords.of(new TimeoutException())).isEqualTo("no answer in time");
    assertThat(ErrorWords.of(new ExecutionException(new TimeoutException())))
        .isEqualTo("no answer in time");
    assertThat(ErrorWords.of(lost(new EOFException())))
        .isEqualTo("the connection was lost: the other side closed the connection");
    assertThat(ErrorWords.of(new ConnectException().initCause(new ClosedChannelException())))
        .isEqualTo("nobody accepts connections there");
    assertThat(ErrorWords.of(new UnknownHostException("rabbit")))
        .isEqualTo("no host has the name 'rabbit'");
    assertThat(ErrorWords.of(new IllegalStateException()))
        .isEqualTo("no reason given (illegal state)");
    assertThat(ErrorWords.of(new RuntimeException())).isEqualTo("no reason given");
  }

  @Test
  void names_of_exceptions_and_null_are_taken_out() {
    EOFException end = new EOFException();

    assertThat(ErrorWords.of(new IOException("no pool: null", end)))
        .isEqualTo("no pool: the other side closed the connection");
    assertThat(ErrorWords.of(new IOException("broken: \"java.net.ConnectException: refused\" [9]")))
        .isEqualTo("broken: \"refused\" [9]");
    assertThat(ErrorWords.of(new IOException("a\n  b\u0007"))).isEqualTo("a b?");
    assertThat(ErrorWords.of(new IOException("null and void"))).isEqualTo("null and void");
  }

  @Test
  void passwords_are_not_shown() {
    assertThat(ErrorWords.of(new IOException("jdbc:mariadb://h/d?user=a&password=s3cret&x=1")))
        .isEqualTo("jdbc:mariadb://h/d?user=a&password=***&x=1");
    assertThat(ErrorWords.of(new IOException("amqp://user:s3cret@host:5672/vhost")))
        .isEqualTo("amqp://user:***@host:5672/vhost");
    assertThat(ErrorWords.of(new IOException("nobody at http://host:8177/health")))
        .isEqualTo("nobody at http://host:8177/health");
  }

  @Test
  void its_own_methods_may_fail() {
    RuntimeException odd =
        new IllegalStateException() {
          @Override
          public String getMessage() {
            throw new UnsupportedOperationException();
          }
        };

    assertThat(ErrorWords.of(odd)).isEqualTo("no reason given");
  }

  @Test
  void causes_may_go_round_in_a_circle() {
    IOException one = new IOException();
    IOException other = new IOException(null, one);
    one.initCause(other);

    assertThat(ErrorWords.of(one)).isNotBlank();
  }

  private static ShutdownSignalException lost(Exception cause) {
    return (ShutdownSignalException) signal(true, null).initCause(cause);
  }

  private static ShutdownSignalException signal(boolean hard, @Nullable Method reason) {
    return new ShutdownSignalException(hard, false, reason, null);
  }
}
