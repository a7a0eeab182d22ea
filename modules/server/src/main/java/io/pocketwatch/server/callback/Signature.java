// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.server.callback;

import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.util.HexFormat;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/** Shows a target that a call is ours, unchanged, and when it was made. */
final class Signature {
  private static final String ALGORITHM = "HmacSHA256";

  private final SecretKeySpec key;

  Signature(String secret) {
    this.key = new SecretKeySpec(secret.getBytes(StandardCharsets.UTF_8), ALGORITHM);
  }

  /**
   * @param timestamp seconds since the epoch, as sent
   * @param id as it stands in the header, percent-encoded or not
   */
  String of(String timestamp, String id, byte[] body) {
    try {
      Mac mac = Mac.getInstance(ALGORITHM);
      mac.init(key);
      mac.update((timestamp + "." + id + ".").getBytes(StandardCharsets.UTF_8));
      return "v1=" + HexFormat.of().formatHex(mac.doFinal(body));
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("every JVM has " + ALGORITHM, e);
    }
  }
}
