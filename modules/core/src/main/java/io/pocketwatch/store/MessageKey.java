// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.store;

/**
 * Names one stored message. The same id may exist on two routes.
 *
 * @param route the route's name
 * @param id the message's id
 */
public record MessageKey(String route, String id) {
  @Override
  public String toString() {
    return route + "/" + id;
  }
}
