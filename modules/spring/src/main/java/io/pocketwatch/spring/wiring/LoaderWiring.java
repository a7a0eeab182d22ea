// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.spring.wiring;

import io.pocketwatch.DelayedPublisher;
import io.pocketwatch.PocketwatchListener;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** A loader in this process. Any number of processes may have one. It needs a store. */
@Configuration(proxyBeanMethods = false)
public class LoaderWiring {
  @Bean
  LoaderLifecycle pocketwatchLoader(
      DelayedPublisher publisher, ObjectProvider<PocketwatchListener> listeners) {
    return new LoaderLifecycle(
        publisher, PocketwatchListener.all(listeners.orderedStream().toList()));
  }
}
