// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.store;

import java.util.Locale;

/**
 * Names one stored message. The same id may exist on two routes.
 *
 * @param route the route's name
 * @param id the message's id
 */
public record MessageKey(String route, String id) {
  /**
   * As {@code route/id}, for logs: control characters, which a copy from elsewhere may have in its
   * id, are shown as JSON would write them.
   */
  @Override
  public String toString() {
    String text = route + "/" + id;
    return text.chars().noneMatch(Character::isISOControl) ? text : escaped(text);
  }

  private static String escaped(String text) {
    StringBuilder escaped = new StringBuilder();
    text.chars()
        .forEach(
            each -> {
              if (Character.isISOControl(each)) {
                escaped.append(String.format(Locale.ROOT, "\\u%04x", each));
              } else {
                escaped.append((char) each);
              }
            });
    return escaped.toString();
  }
}
