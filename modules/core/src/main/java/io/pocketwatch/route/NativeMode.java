// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.route;

/** Whether RabbitMQ 4.4's own delay takes the place of the wheel where it works. */
public enum NativeMode {
  /** Used in place of the wheel on each connection on which a probe of it passes. */
  AUTO,

  /** Used only for routes that name {@code DELIVERY_TIME}. */
  OFF
}
