// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.store;

/**
 * The right to handle one copy.
 *
 * @param key the message
 * @param consumer who handles it
 * @param token names this handling; another one's settle does not apply
 */
public record Handling(MessageKey key, String consumer, String token) {}
