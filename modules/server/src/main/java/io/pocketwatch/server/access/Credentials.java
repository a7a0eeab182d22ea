// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.server.access;

import io.pocketwatch.server.config.Credential;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The credentials of the interface. Keeps digests only, and takes as long for any wrong secret. */
final class Credentials {
  private static final String BEARER = "bearer ";
  private static final String BASIC = "basic ";

  private final List<Entry> entries = new ArrayList<>();

  /**
   * @throws io.pocketwatch.screen.CommandFailedException if a secret is missing
   */
  Credentials(List<Credential> credentials, Map<String, String> environment) {
    for (Credential each : credentials) {
      String secret = each.secret().resolve(environment);
      entries.add(new Entry(each, digest(each.token() ? secret : each.name() + ":" + secret)));
    }
  }

  boolean isEmpty() {
    return entries.isEmpty();
  }

  boolean hasToken() {
    return entries.stream().anyMatch(each -> each.credential().token());
  }

  /**
   * The credential that a header {@code Authorization} proves.
   *
   * @param header null if there was none
   */
  Optional<Credential> find(@Nullable String header) {
    if (header == null) {
      return Optional.empty();
    }
    if (header.regionMatches(true, 0, BEARER, 0, BEARER.length())) {
      return find(true, header.substring(BEARER.length()).strip());
    }
    if (header.regionMatches(true, 0, BASIC, 0, BASIC.length())) {
      try {
        byte[] decoded = Base64.getDecoder().decode(header.substring(BASIC.length()).strip());
        return find(false, new String(decoded, StandardCharsets.UTF_8));
      } catch (IllegalArgumentException e) {
        return Optional.empty();
      }
    }
    return Optional.empty();
  }

  private Optional<Credential> find(boolean token, String presented) {
    byte[] digest = digest(presented);
    Credential found = null;
    for (Entry each : entries) { // all of them, always
      if (MessageDigest.isEqual(each.digest, digest) && each.credential.token() == token) {
        found = each.credential;
      }
    }
    return Optional.ofNullable(found);
  }

  private static byte[] digest(String text) {
    try {
      return MessageDigest.getInstance("SHA-256").digest(text.getBytes(StandardCharsets.UTF_8));
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every JVM has SHA-256", e);
    }
  }

  @SuppressWarnings("ArrayRecordComponent") // never compared as a record
  private record Entry(Credential credential, byte[] digest) {}
}
