// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.guard;

/** A consumer's answer for a message, in AMQP's terms. */
enum Disposition {
  ACK,
  REJECT,
  REQUEUE
}
