// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.testing;

import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;

/** Large interfaces of which a fake has only the methods that somebody calls. */
public final class Fakes {
  private static final Map<List<Object>, Optional<Method>> KNOWN = new ConcurrentHashMap<>();

  private Fakes() {}

  /** Calls the fake's method of the same name and parameters; what it has not throws. */
  public static <T> T as(Class<T> type, Object fake) {
    InvocationHandler handler =
        (proxy, called, arguments) -> {
          if (called.getDeclaringClass() == Object.class) {
            return of(type, proxy, called, arguments);
          }
          Method own =
              KNOWN
                  .computeIfAbsent(
                      List.of(fake.getClass(), called), each -> own(fake.getClass(), called))
                  .orElseThrow(
                      () -> new UnsupportedOperationException("the fake has no " + called));
          try {
            return own.invoke(fake, arguments);
          } catch (InvocationTargetException e) {
            throw e.getCause();
          }
        };
    return type.cast(Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, handler));
  }

  private static Object of(Class<?> type, Object proxy, Method called, Object[] arguments) {
    return switch (called.getName()) {
      case "equals" -> proxy == arguments[0];
      case "hashCode" -> System.identityHashCode(proxy);
      default -> "a fake " + type.getSimpleName();
    };
  }

  private static Optional<Method> own(Class<?> fake, Method called) {
    try {
      Method own = fake.getDeclaredMethod(called.getName(), called.getParameterTypes());
      own.setAccessible(true);
      return Optional.of(own);
    } catch (NoSuchMethodException e) {
      return Optional.empty();
    }
  }
}
