// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.guard;

/** What a consumer says of a message, as AMQP has it. */
enum Disposition {
  ACK,
  REJECT,
  REQUEUE
}
