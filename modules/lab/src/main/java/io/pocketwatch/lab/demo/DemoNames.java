// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.lab.demo;

/** What the demo calls its things on the broker; nothing else there begins with this prefix. */
final class DemoNames {
  static final String PREFIX = "pocketwatch-demo";

  /** The shop's own exchange and queue: where timeouts arrive. */
  static final String EXCHANGE = PREFIX + ".orders";

  static final String QUEUE = PREFIX + ".timeouts";

  static final String ROUTING_KEY = "order.timeout";

  /** A second key, so that a second route can ask for the delayed-message plugin. */
  static final String PLUGIN_ROUTING_KEY = "order.timeout.plugin";

  /** Where tasks that went through the store arrive, and their route. */
  static final String TASKS = PREFIX + ".tasks";

  static final String TASK_KEY = "task.due";
  static final String TASK_ROUTE = "demo-tasks";

  /** An exclusive queue that keeps a second demo off the same broker. */
  static final String LOCK = PREFIX + ".lock";

  private DemoNames() {}
}
