// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.loader;

import io.pocketwatch.PocketwatchListener;
import io.pocketwatch.tracking.TrackedPublisher;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

/** The builder behind {@link Loader#builder}. */
final class LoaderBuilder implements Loader.Builder {
  private final TrackedPublisher publisher;
  private final List<PocketwatchListener> listeners = new ArrayList<>();
  private InstantSource machine = InstantSource.system();

  LoaderBuilder(TrackedPublisher publisher) {
    this.publisher = Objects.requireNonNull(publisher, "publisher");
  }

  @Override
  public Loader.Builder listener(PocketwatchListener listener) {
    listeners.add(Objects.requireNonNull(listener, "listener"));
    return this;
  }

  @Override
  public Loader.Builder clock(InstantSource machine) {
    this.machine = Objects.requireNonNull(machine, "clock");
    return this;
  }

  @Override
  public Loader build() {
    return new DefaultLoader(new LoaderContext(publisher, machine, listeners));
  }
}
