// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.boot;

import io.pocketwatch.spring.wiring.PocketwatchStatus;
import java.util.Map;
import org.springframework.boot.actuate.endpoint.annotation.Endpoint;
import org.springframework.boot.actuate.endpoint.annotation.ReadOperation;

/** Routes, the messages that wait on each, and live loaders: {@code /actuator/pocketwatch}. */
@Endpoint(id = "pocketwatch")
public final class PocketwatchEndpoint {
  private final PocketwatchStatus status;

  PocketwatchEndpoint(PocketwatchStatus status) {
    this.status = status;
  }

  @ReadOperation
  public Map<String, Object> status() {
    return status.describe();
  }
}
