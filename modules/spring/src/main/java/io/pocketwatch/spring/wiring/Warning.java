// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.spring.wiring;

import java.util.List;

/** A part that an application may do without, and that can have something to look at. */
interface Warning {
  List<String> warnings();
}
