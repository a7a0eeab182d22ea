// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.config;

/**
 * A builder of options; the options keep a copy of the builder as their values.
 *
 * @param <B> the builder itself; its fields are immutable
 */
abstract class CopiedBuilder<B extends CopiedBuilder<B>> implements Cloneable {
  @SuppressWarnings("unchecked") // a clone has the class of what it was made from
  final B copy() {
    try {
      return (B) clone();
    } catch (CloneNotSupportedException e) {
      throw new AssertionError(e);
    }
  }
}
