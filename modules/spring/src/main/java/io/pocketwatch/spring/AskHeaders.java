// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.spring;

import io.pocketwatch.Headers;

/**
 * Headers by which a message asks for its delay on the way to the template. Never sent: their
 * prefix is that of the headers which every outgoing message loses. Text, so that header mappers
 * and other serialization on the way leave them as they are.
 */
final class AskHeaders {
  /** An ISO-8601 duration. */
  static final String DELAY = Headers.PREFIX + "ask-delay";

  /** An ISO-8601 instant. */
  static final String DELIVER_AT = Headers.PREFIX + "ask-deliver-at";

  static final String ID = Headers.PREFIX + "idempotency-key";
  static final String BUSINESS_KEY = Headers.PREFIX + "business-key";
  static final String ROUTE = Headers.PREFIX + "ask-route";
  static final String STRATEGY = Headers.PREFIX + "ask-strategy";

  private AskHeaders() {}
}
