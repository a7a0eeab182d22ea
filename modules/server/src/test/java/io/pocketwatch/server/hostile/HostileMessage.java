// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.server.hostile;

/**
 * What is sent, as bytes where a client would not let them through.
 *
 * @param kind in words, for whoever reads that it did harm
 * @param properties flags and values, as on the wire
 * @param readable whether a Java client can decode its properties
 */
record HostileMessage(
    String kind,
    String exchange,
    byte[] routingKey,
    byte[] properties,
    byte[] body,
    boolean readable) {
  @Override
  public String toString() {
    return "%s to '%s', %s bytes of properties, body of %s"
        .formatted(kind, exchange, properties.length, body.length);
  }
}
