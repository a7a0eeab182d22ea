// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.server.config;

/**
 * What the HTTP interface bears.
 *
 * @param requests requests per second and client, 1 to 100,000
 * @param schedules messages per second, client and route, 1 to 1,000,000
 * @param requestSize bytes in the body of a request, 1,024 to 536,870,912
 * @param batch messages in one request, 1 to 10,000
 * @param eventStreams clients that follow the events at a time, 1 to 1,000
 */
public record HttpLimits(
    int requests, int schedules, int requestSize, int batch, int eventStreams) {
  /** 100 requests and 5,000 messages a second, 16 MiB, 1,000 messages, 50 streams. */
  public static HttpLimits defaults() {
    return new HttpLimits(100, 5_000, 16_777_216, 1_000, 50);
  }

  static HttpLimits read(ConfigurationSection section) {
    section.allow("requests", "schedules", "request-size", "batch", "event-streams");
    HttpLimits usual = defaults();
    return new HttpLimits(
        section.integer("requests", 1, 100_000, usual.requests),
        section.integer("schedules", 1, 1_000_000, usual.schedules),
        section.integer("request-size", 1_024, 536_870_912, usual.requestSize),
        section.integer("batch", 1, 10_000, usual.batch),
        section.integer("event-streams", 1, 1_000, usual.eventStreams));
  }
}
