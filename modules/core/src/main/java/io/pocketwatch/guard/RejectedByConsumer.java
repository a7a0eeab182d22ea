// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.guard;

/** What is known of a failure of which the consumer says nothing but that. */
final class RejectedByConsumer extends RuntimeException {
  private static final long serialVersionUID = 1L;

  RejectedByConsumer() {
    super("rejected by its consumer", null, false, false);
  }
}
