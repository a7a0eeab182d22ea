// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.lab.faults.account;

import java.util.Arrays;
import java.util.stream.Collectors;

/** What a cell of the guarantee table allows. */
enum Leave {
  /** A copy may come again. */
  TWICE("twice"),
  /** A held message may be lost. */
  LOST("lost"),
  /** What falls due while the fault lasts, or right after, may be lost. */
  LOST_NEAR("lost-near"),
  /** It may come early where no guard stands before the handler. */
  EARLY("early"),
  /** It may be parked. */
  PARKED("parked");

  private final String word;

  Leave(String word) {
    this.word = word;
  }

  static Leave of(String word) {
    return Arrays.stream(values())
        .filter(leave -> leave.word.equals(word))
        .findFirst()
        .orElseThrow(
            () ->
                new IllegalArgumentException(
                    "'%s' is none of %s"
                        .formatted(
                            word,
                            Arrays.stream(values())
                                .map(leave -> leave.word)
                                .collect(Collectors.joining(", ")))));
  }
}
