// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.store;

/**
 * A stored message without its payload.
 *
 * @param stored the message, with an empty body
 * @param bodyBytes how large the body is
 */
public record MessageSummary(StoredMessage stored, int bodyBytes) {}
