// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.localbroker;

/** Where a broker comes from, in the order in which the sources are tried. */
public enum BrokerSource {
  /** An address that was given; that broker is used as it is and cannot be controlled. */
  ADDRESS("address"),
  /** A container of the public image, started with Testcontainers. */
  DOCKER("Docker"),
  /** A private node that runs the programs of an installed {@code rabbitmq-server}. */
  INSTALLED("installed"),
  /** A private node that runs programs unpacked from downloaded Debian packages. */
  PACKAGES("packages");

  private final String label;

  BrokerSource(String label) {
    this.label = label;
  }

  /** The word used for this source in messages to people. */
  public String label() {
    return label;
  }
}
