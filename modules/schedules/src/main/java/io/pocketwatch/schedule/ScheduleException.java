// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.schedule;

import io.pocketwatch.PocketwatchException;

/** Thrown if a schedule cannot be changed as asked. The message names schedule and reason. */
public abstract class ScheduleException extends PocketwatchException {
  private static final long serialVersionUID = 1L;

  private ScheduleException(String name, String problem) {
    super("schedule '" + name + "': " + problem);
  }

  /** There is no schedule of that name. */
  public static final class UnknownScheduleException extends ScheduleException {
    private static final long serialVersionUID = 1L;

    UnknownScheduleException(String name) {
      super(name, "there is none of this name");
    }
  }

  /** The schedule could never fire: it has no occurrence left, or its route is unsuitable. */
  public static final class ImpossibleScheduleException extends ScheduleException {
    private static final long serialVersionUID = 1L;

    ImpossibleScheduleException(String name, String problem) {
      super(name, problem);
    }
  }

  /** The store has as many schedules as are allowed, or as many bytes of them. */
  public static final class TooManySchedulesException extends ScheduleException {
    private static final long serialVersionUID = 1L;

    TooManySchedulesException(String name, String problem) {
      super(name, problem);
    }
  }

  /** A configuration file owns the schedule, and only that may redefine it. */
  public static final class OwnedByYamlException extends ScheduleException {
    private static final long serialVersionUID = 1L;

    OwnedByYamlException(String name, String problem) {
      super(name, problem);
    }
  }

  /** The schedule was redefined or removed meanwhile. */
  public static final class OtherVersionException extends ScheduleException {
    private static final long serialVersionUID = 1L;

    OtherVersionException(String name, long expected, long there) {
      super(name, "%s is there, not %s".formatted(words(there), words(expected)));
    }

    private static String words(long version) {
      return version == 0 ? "none" : "version " + version;
    }
  }
}
