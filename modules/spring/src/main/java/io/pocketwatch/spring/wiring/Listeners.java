// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.spring.wiring;

import io.pocketwatch.PocketwatchListener;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.ObjectProvider;

/** Several listeners as one. */
final class Listeners {
  private static final Logger LOG = LoggerFactory.getLogger(Listeners.class);

  private Listeners() {}

  static PocketwatchListener all(ObjectProvider<PocketwatchListener> provider) {
    List<PocketwatchListener> listeners = provider.orderedStream().toList();
    return switch (listeners.size()) {
      case 0 -> PocketwatchListener.NONE;
      case 1 -> listeners.get(0);
      default -> each(listeners);
    };
  }

  /** A proxy, so that an event added to the interface is not forgotten here. */
  private static PocketwatchListener each(List<PocketwatchListener> listeners) {
    return (PocketwatchListener)
        Proxy.newProxyInstance(
            PocketwatchListener.class.getClassLoader(),
            new Class<?>[] {PocketwatchListener.class},
            (proxy, method, arguments) ->
                method.getDeclaringClass() == Object.class
                    ? ofObject(proxy, method, arguments)
                    : told(listeners, method, arguments));
  }

  private static Object ofObject(Object proxy, Method method, Object[] arguments) {
    return switch (method.getName()) {
      case "equals" -> proxy == arguments[0];
      case "hashCode" -> System.identityHashCode(proxy);
      default -> "listeners";
    };
  }

  private static @Nullable Object told(
      List<PocketwatchListener> listeners, Method method, Object[] arguments)
      throws IllegalAccessException {
    for (PocketwatchListener listener : listeners) {
      try {
        method.invoke(listener, arguments);
      } catch (InvocationTargetException e) { // the others are to hear it all the same
        LOG.warn("A listener failed", e.getCause());
      }
    }
    return null;
  }
}
