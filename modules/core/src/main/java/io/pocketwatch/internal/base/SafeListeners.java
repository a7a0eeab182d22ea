// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.internal.base;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Tells all listeners of an interface whose methods return nothing. What one throws is logged, and
 * keeps nothing from the others or from whoever tells; a {@link LinkageError} too, which a listener
 * of another version throws.
 */
public final class SafeListeners {
  private static final Logger LOG = LoggerFactory.getLogger(SafeListeners.class);

  private SafeListeners() {}

  /** One listener that tells them all, in this order. */
  public static <T> T of(Class<T> type, List<? extends T> listeners) {
    List<T> all = List.copyOf(listeners);
    Object told =
        Proxy.newProxyInstance(
            type.getClassLoader(),
            new Class<?>[] {type},
            (proxy, event, arguments) -> {
              if (event.getDeclaringClass() == Object.class) {
                return ofObject(proxy, event, arguments);
              }
              all.forEach(listener -> tell(listener, event, arguments));
              return null;
            });
    return type.cast(told);
  }

  private static Object ofObject(
      Object proxy, Method method, @Nullable Object @Nullable [] arguments) {
    return switch (method.getName()) {
      case "equals" -> arguments != null && proxy == arguments[0];
      case "hashCode" -> System.identityHashCode(proxy);
      default -> "listeners";
    };
  }

  private static void tell(Object listener, Method event, @Nullable Object @Nullable [] arguments) {
    try {
      event.invoke(listener, arguments);
    } catch (InvocationTargetException e) {
      if (e.getCause() instanceof Error error && !(error instanceof LinkageError)) {
        throw error;
      }
      LOG.error("A listener failed; nothing else does", e.getCause());
    } catch (IllegalAccessException e) {
      throw new IllegalStateException("the methods of an interface are public", e);
    }
  }
}
