// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.store;

/**
 * Messages of a route that come due in one step of a time range.
 *
 * @param route the route
 * @param step which one, from 0
 * @param count how many
 */
public record DueCount(String route, int step, long count) {}
