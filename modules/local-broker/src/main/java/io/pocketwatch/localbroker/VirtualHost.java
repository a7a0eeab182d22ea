// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.localbroker;

import com.rabbitmq.client.ConnectionFactory;
import java.net.URI;
import java.util.Locale;
import java.util.Optional;
import java.util.UUID;

/** A virtual host for one test, made through the management API or the command line. */
public final class VirtualHost {
  private final BrokerNode node;
  private final String name;

  private VirtualHost(BrokerNode node, String name) {
    this.node = node;
    this.name = name;
  }

  /**
   * A virtual host that is not made yet.
   *
   * @param label the beginning of its name, for people; the rest is random
   */
  public static VirtualHost on(BrokerNode node, String label) {
    String random = UUID.randomUUID().toString().substring(0, 8);
    return new VirtualHost(node, label.toLowerCase(Locale.ROOT) + "-" + random);
  }

  public String name() {
    return name;
  }

  /** Makes the virtual host, with all permissions for the node's user. */
  public void create() {
    if (ManagementApi.of(node).map(api -> api.createVirtualHost(name)).orElse(false)) {
      return;
    }
    try {
      node.ctl("add_vhost", name);
      node.ctl(
          "set_permissions", "-p", name, node.connectionFactory().getUsername(), ".*", ".*", ".*");
    } catch (UnsupportedOperationException e) {
      throw new IllegalStateException(
          "%s has no management API that answers, so no virtual host can be made for the test;"
                  .formatted(node)
              + " switch rabbitmq_management on there",
          e);
    }
  }

  /** A new factory for connections into the virtual host. */
  public ConnectionFactory connectionFactory() {
    ConnectionFactory factory = node.connectionFactory();
    factory.setVirtualHost(name);
    return factory;
  }

  /** Its address, with user and password. */
  public URI amqpUri() {
    return URI.create(node.amqpUri().toString().replaceFirst("(?<=[^/])/[^/]*$", "") + "/" + name);
  }

  /** Its queues with their arguments, in the management API's JSON; empty if that is not there. */
  public Optional<String> queues() {
    return ManagementApi.of(node).flatMap(api -> api.queues(name));
  }

  /** Deletes it. A node that was left stopped is a test's own, and goes with its data. */
  public void delete() {
    if (node.running()
        && !ManagementApi.of(node).map(api -> api.deleteVirtualHost(name)).orElse(false)) {
      node.ctl("delete_vhost", name);
    }
  }
}
