// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.boot;

import com.fasterxml.jackson.annotation.JsonProperty;
import io.pocketwatch.DelayStrategy;
import io.pocketwatch.config.DelayRoute.Isolation;
import io.pocketwatch.config.DelayRoute.Tracking;
import io.pocketwatch.config.DelayRoute.UserExpiration;
import io.pocketwatch.config.HoldOptions.NativeMode;
import io.pocketwatch.config.HoldOptions.TopologyMode;
import io.pocketwatch.config.HoldQueues.HoldQueueType;
import io.pocketwatch.guard.GuardOptions.OnStoreFailure;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.boot.context.properties.bind.Name;

/**
 * The keys of {@code config/pocketwatch.yml}, and those that only an application has. Editors
 * complete them, and {@code /actuator/configprops} lists them. {@link CheckedProperties} checks
 * them before Boot binds this record.
 *
 * @param enabled Whether the RabbitTemplate of the application delays, and everything that belongs
 *     to it is there.
 * @param connect When the publisher connects and declares its topology: on-demand, with the first
 *     delayed message or a loader, or at-start.
 * @param namePrefix First part of the name of every exchange and queue of Pocketwatch, 1 to 60
 *     characters. One per trust domain; changing it means new queues.
 * @param topology How much of its exchanges and queues a publisher may declare.
 * @param nativeMode Whether RabbitMQ 4.4's own delay (DELIVERY_TIME) takes the wheel's place where
 *     a probe of it passes.
 * @param routes Targets and the policy for messages to them, by name.
 * @param defaults The policy of messages that match no route.
 * @param schedules Messages that recur, by name. Needs a store, and
 *     io.pocketwatch:pocketwatch-schedules on the class path.
 */
@ConfigurationProperties(prefix = PropertyTree.ROOT)
public record PocketwatchProperties(
    @DefaultValue("true") boolean enabled,
    @DefaultValue("on-demand") Connect connect,
    @DefaultValue("pocketwatch") String namePrefix,
    @DefaultValue("declare") TopologyMode topology,
    @Name("native") @JsonProperty("native") @DefaultValue("off") NativeMode nativeMode,
    @DefaultValue Map<String, Route> routes,
    @DefaultValue Policy defaults,
    @Nullable Map<String, Recurring> schedules,
    @DefaultValue SchedulesRunner schedulesRunner,
    @DefaultValue Wheel wheel,
    @DefaultValue TtlQueues ttlQueues,
    @DefaultValue TemporaryQueues temporaryQueues,
    @DefaultValue Publisher publisher,
    @DefaultValue Loader loader,
    @DefaultValue Store store,
    @DefaultValue Guard guard) {

  /** For which databases tables are made. */
  public enum InitializeSchema {
    /** For any. */
    ALWAYS,

    /** Only for one that is a part of the application. */
    EMBEDDED,

    /** For none. */
    NEVER
  }

  /** When the publisher connects and declares. */
  public enum Connect {
    /** With the first delayed message, or when a loader starts. */
    ON_DEMAND,

    /** Before the application has started, which fails if the topology is wrong. */
    AT_START
  }

  /**
   * The queue wheel, which holds every delay that has no TTL queue.
   *
   * @param maxDelay The longest delay the wheel holds, 1ms to 3650d. A longer one is rejected.
   * @param resolution Delays are rounded up to it. Default: the last of the hands.
   * @param hands One group of queues per hand, widest first; each must divide the one before.
   *     Default: 1d, 1h, 1m, 1s, 10ms.
   * @param queueType Type of the hold queues.
   * @param acceptLoss You accept the loss that classic hold queues can bring.
   */
  public record Wheel(
      @DefaultValue("31d") Duration maxDelay,
      @Nullable Duration resolution,
      @Nullable List<Duration> hands,
      @DefaultValue("quorum") HoldQueueType queueType,
      @DefaultValue("false") boolean acceptLoss) {}

  /**
   * The queues behind delays.
   *
   * @param queueType Type of the hold queues.
   * @param acceptLoss You accept the loss that classic hold queues can bring.
   */
  public record TtlQueues(
      @DefaultValue("quorum") HoldQueueType queueType, @DefaultValue("false") boolean acceptLoss) {}

  /**
   * Limits of TEMPORARY_QUEUE.
   *
   * @param max How many temporary queues a publisher keeps at a time, 1 to 10000.
   * @param grace How long after its due time a temporary queue may live if nobody deletes it, 1d to
   *     365d.
   * @param linger How long after the due time a publisher waits before it deletes the drained
   *     queue, 10s to 1h.
   * @param queueType Type of the hold queues.
   * @param acceptLoss You accept the loss that classic hold queues can bring.
   */
  public record TemporaryQueues(
      @DefaultValue("1000") int max,
      @DefaultValue("1d") Duration grace,
      @DefaultValue("7m") Duration linger,
      @DefaultValue("quorum") HoldQueueType queueType,
      @DefaultValue("false") boolean acceptLoss) {}

  /**
   * How a publisher talks to the broker.
   *
   * @param channels Channels the publisher beside the template publishes on, 1 to 64.
   * @param maxInFlight Messages sent and not yet answered by the broker, 1 to 100000.
   * @param confirmTimeout How long to wait for a place in flight and for the broker's answer, 1s to
   *     10m.
   * @param maxBodySize The largest body in bytes, 0 to 536870912.
   */
  public record Publisher(
      @DefaultValue("4") int channels,
      @DefaultValue("2000") int maxInFlight,
      @DefaultValue("30s") Duration confirmTimeout,
      @DefaultValue("16777216") int maxBodySize) {}

  /**
   * When messages move from the database to the broker.
   *
   * @param enabled Whether this process loads what is stored; some process must.
   * @param at Time of day of the nightly run, in quotes. Default: 00:00.
   * @param zone Time zone of the nightly run.
   * @param every Another rhythm instead of the nightly one, 1s to 1d; then leave 'at' out.
   * @param lead How far beyond the next run a run loads, 0s to 1d.
   * @param sweep The pause between the small runs in between, 100ms to 1h.
   * @param lease How long a claim lasts, 5s to 1h.
   * @param batch Rows claimed at a time and route, 1 to 10000.
   * @param rate Messages handed off per second and loader, 1 to 1000000. Default: no limit.
   * @param grace How long after its time a message may be unsettled before anybody wonders, 1s to
   *     1d.
   * @param maxSilence How long a route, or one of its consumers, may settle nothing before a small
   *     probe of its overdue messages, 1s to 7d.
   * @param targetPatience How long a due message waits for a target that is missing or refuses it
   *     before it is parked, 1s to 31d. With tracking full a refused message is not given up.
   * @param retention How long finished messages stay before they are deleted, 1s to 3650d.
   */
  public record Loader(
      @DefaultValue("true") boolean enabled,
      @Nullable String at,
      @DefaultValue("UTC") String zone,
      @Nullable Duration every,
      @DefaultValue("1h") Duration lead,
      @DefaultValue("30s") Duration sweep,
      @DefaultValue("2m") Duration lease,
      @DefaultValue("1000") int batch,
      @Nullable Integer rate,
      @DefaultValue("2m") Duration grace,
      @DefaultValue("30m") Duration maxSilence,
      @DefaultValue("1h") Duration targetPatience,
      @DefaultValue("7d") Duration retention) {}

  /**
   * Who fires schedules.
   *
   * @param enabled Whether this process fires the schedules in the store, if it has a loader; some
   *     process must.
   */
  public record SchedulesRunner(@DefaultValue("true") boolean enabled) {}

  /**
   * A message that recurs.
   *
   * @param cron Five fields, or six that begin with the second; or else every.
   * @param every A fixed interval in place of cron, 1s to 3650d.
   * @param zone Whose wall clock counts, such as Europe/Berlin. Default: UTC.
   * @param starts No occurrence before it; local, such as 2026-12-01T09:00.
   * @param ends No occurrence after it; local.
   * @param times It ends after so many occurrences, 1 to 1000000000.
   * @param jitter Each occurrence is late by a part of it that is always the same, 0s to 1d.
   * @param catchUp Which occurrences fire that nobody fired in time: none, latest or all. Default:
   *     latest.
   * @param catchUpWindow How far back catch-up looks, 0s to 3650d. Default: 1h.
   * @param overlap Whether an occurrence fires while the one before is not settled: allow or skip.
   *     Default: allow.
   * @param gap What becomes of a time that daylight saving leaves out: shift or skip. Default:
   *     shift.
   * @param repeated When a time fires that daylight saving repeats: first or both. Default: first.
   * @param route The route of its messages, which must be tracked.
   * @param exchange The target exchange. Default: that of the route.
   * @param routingKey The target's routing key. Default: that of the route.
   * @param body The payload as text.
   * @param bodyBase64 The payload in Base64, in place of body.
   * @param file A file that holds the payload, in place of body.
   * @param contentType The message's content type.
   * @param headers Headers by name, as texts.
   * @param businessKey Your own name for its messages, to find them by.
   */
  public record Recurring(
      @Nullable String cron,
      @Nullable Duration every,
      @Nullable String zone,
      @Nullable String starts,
      @Nullable String ends,
      @Nullable Long times,
      @Nullable Duration jitter,
      @Nullable String catchUp,
      @Nullable Duration catchUpWindow,
      @Nullable String overlap,
      @Nullable String gap,
      @Nullable String repeated,
      @Nullable String route,
      @Nullable String exchange,
      @Nullable String routingKey,
      @Nullable String body,
      @Nullable String bodyBase64,
      @Nullable String file,
      @Nullable String contentType,
      @Nullable Map<String, String> headers,
      @Nullable String businessKey) {}

  /**
   * The store in the application's data source.
   *
   * @param enabled Whether messages may be stored in the application's DataSource; nothing is
   *     stored unless somebody says so.
   * @param initializeSchema When the store's tables are made at the start, if they are missing.
   * @param tablePrefix What the names of the tables begin with. Only those with the default are
   *     made at the start.
   */
  public record Store(
      @DefaultValue("false") boolean enabled,
      @DefaultValue("embedded") InitializeSchema initializeSchema,
      @DefaultValue("pocketwatch_") String tablePrefix) {}

  /**
   * How listeners of delayed messages are guarded.
   *
   * @param handlingLease How long after a consumer's death its message stays its own, 1s to 1d.
   * @param earlyTolerance How much before its instant a message may be handled, 0s to 1h.
   * @param onStoreFailure What to do while the store does not answer.
   * @param storePatience How long a message waits for the store before it is returned to its queue,
   *     1s to 1d. Below half the broker's consumer timeout.
   */
  public record Guard(
      @DefaultValue("1m") Duration handlingLease,
      @DefaultValue("1s") Duration earlyTolerance,
      @DefaultValue("wait") OnStoreFailure onStoreFailure,
      @DefaultValue("10m") Duration storePatience) {}

  /**
   * What becomes of messages that match no route.
   *
   * @param delays Delays that get a TTL queue of their own, without tracking; any other rides the
   *     wheel.
   * @param defaultDelay The delay of a message that sets none. Without it such a message is sent at
   *     once.
   * @param strategy How messages are held where this strategy can: TTL_QUEUE, QUEUE_WHEEL,
   *     TEMPORARY_QUEUE, DELAYED_EXCHANGE or DELIVERY_TIME.
   * @param resolution What delays are rounded up to on the wheel, 1ms to 1m; with one of the
   *     wheel's hands a message makes no hop below it. Default: pocketwatch.wheel.resolution.
   * @param spread Spreads what is due at one instant, 0s to 1d: each delayed message is due later
   *     by a part of this, which its id decides. Not together with delays. Default: 0s.
   * @param isolation Whether a destination that takes nothing can delay the others. Default:
   *     shared.
   * @param retries The pauses after which a listener gets a message again that it has failed to
   *     handle; at most 20. Default: none.
   * @param userExpiration What to do with a message that carries an expiration of its own. Default:
   *     reject.
   * @param tracking Whether a database keeps a row of each message. Handoff and full need
   *     pocketwatch.store.enabled. Default: none.
   * @param handoffBefore Keep the message in the database until this long before it is due, 1s to
   *     31d. Only with tracking handoff.
   * @param insertLimit New rows per second and process, 1 to 1000000; above it a message is
   *     rejected. Default: no limit.
   */
  public record Policy(
      @Nullable List<Duration> delays,
      @Nullable Duration defaultDelay,
      @Nullable DelayStrategy strategy,
      @Nullable Duration resolution,
      @Nullable Duration spread,
      @Nullable Isolation isolation,
      @Nullable List<Duration> retries,
      @Nullable UserExpiration userExpiration,
      @Nullable Tracking tracking,
      @Nullable Duration handoffBefore,
      @Nullable Integer insertLimit) {}

  /**
   * A target, and what becomes of messages to it: the keys of a {@link Policy}.
   *
   * @param exchange The exchange that messages are sent to. Without it they go straight to the
   *     queue that routing-key names.
   * @param routingKey The routing key of the messages. Without it every message to the exchange
   *     that no other route matches.
   */
  public record Route(
      @Nullable String exchange,
      @Nullable String routingKey,
      @Nullable List<Duration> delays,
      @Nullable Duration defaultDelay,
      @Nullable DelayStrategy strategy,
      @Nullable Duration resolution,
      @Nullable Duration spread,
      @Nullable Isolation isolation,
      @Nullable List<Duration> retries,
      @Nullable UserExpiration userExpiration,
      @Nullable Tracking tracking,
      @Nullable Duration handoffBefore,
      @Nullable Integer insertLimit) {}
}
