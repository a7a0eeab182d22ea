// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.server.config;

import io.pocketwatch.config.YamlNode;

/**
 * The limits of the HTTP interface.
 *
 * @param requests requests per second and client, 1 to 100,000
 * @param schedules messages per second, client and route, 1 to 1,000,000
 * @param requestSize bytes in the body of a request, 1,024 to 536,870,912
 * @param batch messages in one request, 1 to 10,000
 * @param eventStreams clients that follow the events at a time, 1 to 1,000
 * @param bodyMemory bytes that all requests may have in memory, 65,536 to 2,147,483,647
 */
public record HttpLimits(
    int requests, int schedules, int requestSize, int batch, int eventStreams, int bodyMemory) {
  private static final int REQUEST_SIZE = 16_777_216;
  private static final int SHARE_OF_HEAP = 8;

  /**
   * The defaults: 100 requests and 5,000 messages a second, 16 MiB, 1,000 messages, 50 streams, an
   * eighth of the heap.
   */
  public static HttpLimits defaults() {
    return new HttpLimits(100, 5_000, REQUEST_SIZE, 1_000, 50, usualMemory(REQUEST_SIZE));
  }

  private static int usualMemory(int requestSize) {
    long share = Runtime.getRuntime().maxMemory() / SHARE_OF_HEAP;
    return (int) Math.min(Integer.MAX_VALUE, Math.max(share, requestSize));
  }

  static HttpLimits read(YamlNode section) {
    HttpLimits usual = defaults();
    int requestSize = limit(section, "request-size", 1_024, 536_870_912, usual.requestSize);
    int bodyMemory =
        limit(section, "body-memory", 65_536, Integer.MAX_VALUE, usualMemory(requestSize));
    section.reportIf(
        bodyMemory < requestSize,
        "body-memory",
        "%s; allowed: request-size, which is %s, and more".formatted(bodyMemory, requestSize));
    HttpLimits limits =
        new HttpLimits(
            limit(section, "requests", 1, 100_000, usual.requests),
            limit(section, "schedules", 1, 1_000_000, usual.schedules),
            requestSize,
            limit(section, "batch", 1, 10_000, usual.batch),
            limit(section, "event-streams", 1, 1_000, usual.eventStreams),
            bodyMemory);
    section.refuseOthers();
    return limits;
  }

  private static int limit(YamlNode section, String key, int least, int most, int usual) {
    return section.read(key, node -> node.integer(least, most)).orElse(usual);
  }
}
