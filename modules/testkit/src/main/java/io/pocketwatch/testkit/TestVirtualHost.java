// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.testkit;

import io.pocketwatch.localbroker.BrokerNode;
import java.util.Locale;
import java.util.UUID;

/** A virtual host for one test class, made through the management API or the command line. */
final class TestVirtualHost {

  private final BrokerNode node;
  private final String name;

  private TestVirtualHost(BrokerNode node, String name) {
    this.node = node;
    this.name = name;
  }

  /** The name tells the class in the management page, and is new in every run. */
  static TestVirtualHost on(BrokerNode node, Class<?> testClass) {
    String random = UUID.randomUUID().toString().substring(0, 8);
    return new TestVirtualHost(
        node, testClass.getSimpleName().toLowerCase(Locale.ROOT) + "-" + random);
  }

  String name() {
    return name;
  }

  void create() {
    if (ManagementApi.of(node).map(api -> api.createVirtualHost(name)).orElse(false)) {
      return;
    }
    try {
      node.ctl("add_vhost", name);
      node.ctl(
          "set_permissions", "-p", name, node.connectionFactory().getUsername(), ".*", ".*", ".*");
    } catch (UnsupportedOperationException e) {
      throw new IllegalStateException(
          "%s has no management API that answers, so no virtual host can be made for the test class;"
                  .formatted(node)
              + " switch rabbitmq_management on there",
          e);
    }
  }

  /** Nothing to do on a node that was left stopped: it is a class's own and goes with its data. */
  void delete() {
    if (node.running()
        && !ManagementApi.of(node).map(api -> api.deleteVirtualHost(name)).orElse(false)) {
      node.ctl("delete_vhost", name);
    }
  }
}
