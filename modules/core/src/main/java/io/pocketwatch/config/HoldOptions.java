// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.config;

import java.util.regex.Pattern;

/** The options of the exchanges and queues that hold messages on the broker. */
public final class HoldOptions {
  private static final Pattern PREFIX = Pattern.compile("[A-Za-z0-9_.-]{1,60}");

  private final Builder values;

  private HoldOptions(Builder builder) {
    values = builder.copy();
  }

  /** The prefix {@code pocketwatch}, {@code topology: declare}, quorum queues throughout. */
  public static HoldOptions defaults() {
    return builder().build();
  }

  public static Builder builder() {
    return new Builder();
  }

  public Builder toBuilder() {
    return values.copy();
  }

  public String namePrefix() {
    return values.namePrefix;
  }

  public TopologyMode topology() {
    return values.topology;
  }

  public WheelOptions wheel() {
    return values.wheel;
  }

  public HoldQueues ttlQueues() {
    return values.ttlQueues;
  }

  public TemporaryQueueOptions temporaryQueues() {
    return values.temporaryQueues;
  }

  public NativeMode nativeMode() {
    return values.nativeMode;
  }

  /** Sets options; the others keep their defaults. Not thread-safe. */
  public static final class Builder extends CopiedBuilder<Builder> {
    private String namePrefix = "pocketwatch";
    private TopologyMode topology = TopologyMode.DECLARE;
    private WheelOptions wheel = WheelOptions.defaults();
    private HoldQueues ttlQueues = HoldQueues.quorum();
    private TemporaryQueueOptions temporaryQueues = TemporaryQueueOptions.defaults();
    private NativeMode nativeMode = NativeMode.OFF;

    private Builder() {}

    /**
     * The prefix of the names of Pocketwatch's exchanges and queues; use one per trust domain. It
     * has 1 to 60 letters, digits, {@code _}, {@code -} or dots.
     */
    public Builder namePrefix(String namePrefix) {
      if (!PREFIX.matcher(namePrefix).matches()
          || namePrefix.startsWith("amq.")
          || namePrefix.startsWith("pw-")) {
        throw new IllegalArgumentException(
            "name-prefix '"
                + namePrefix
                + "' is not usable; allowed: 1 to 60 letters, digits, '_', '-', '.',"
                + " not beginning with amq. or pw-");
      }
      this.namePrefix = namePrefix;
      return this;
    }

    /** How much of the topology this process may declare. */
    public Builder topology(TopologyMode topology) {
      this.topology = topology;
      return this;
    }

    /** The options of the queue wheel. */
    public Builder wheel(WheelOptions wheel) {
      this.wheel = wheel;
      return this;
    }

    /** The type of the queues behind configured delays. */
    public Builder ttlQueues(HoldQueues ttlQueues) {
      this.ttlQueues = ttlQueues;
      return this;
    }

    /** The options of {@code TEMPORARY_QUEUE}, the strategy with one queue per message. */
    public Builder temporaryQueues(TemporaryQueueOptions temporaryQueues) {
      this.temporaryQueues = temporaryQueues;
      return this;
    }

    /** Whether RabbitMQ 4.4's own delay takes the wheel's place where it works. */
    public Builder nativeMode(NativeMode nativeMode) {
      this.nativeMode = nativeMode;
      return this;
    }

    public HoldOptions build() {
      return new HoldOptions(this);
    }
  }

  /** Whether RabbitMQ 4.4's own delay takes the place of the wheel where it works. */
  public enum NativeMode {
    /** Used in place of the wheel on each connection on which a probe of it passes. */
    AUTO,

    /** Used only for routes that name {@code DELIVERY_TIME}. */
    OFF
  }

  /** How much of the topology a publisher may declare. */
  public enum TopologyMode {
    /** Declare what is missing; refuse to start where something differs. */
    DECLARE,

    /**
     * Check that exchanges and queues exist; declare and bind nothing. An operator must have bound
     * the destinations. Write permission on Pocketwatch's exchanges is enough to publish.
     */
    VERIFY,

    /** Neither declare nor check anything. */
    ASSUME
  }
}
