// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.internal.handoff;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.pocketwatch.BrokerIdentity;
import io.pocketwatch.store.LoadingStore;
import io.pocketwatch.store.StoreException;
import io.pocketwatch.store.StoreException.WrongBrokerException;
import java.lang.reflect.Proxy;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class OwnBrokerTest {
  private static final BrokerIdentity PRODUCTION = new BrokerIdentity("rabbit@prod", "/");
  private static final BrokerIdentity STAGING = new BrokerIdentity("rabbit@staging", "/");

  private @Nullable BrokerIdentity noted;
  private boolean away;
  private int asked;

  private final OwnBroker own = new OwnBroker(store());

  @Test
  void the_first_broker_is_noted_and_the_store_asked_once() {
    own.accept(PRODUCTION);
    own.require();
    away = true; // which keeps nobody from connecting again
    own.accept(PRODUCTION);
    own.require();

    assertThat(noted).isEqualTo(PRODUCTION);
    assertThat(asked).isEqualTo(1);
  }

  @Test
  void another_broker_is_refused_in_words_for_as_long_as_it_is_another() {
    noted = PRODUCTION;

    assertThatThrownBy(() -> own.accept(STAGING))
        .isInstanceOf(WrongBrokerException.class)
        .hasMessageContainingAll("'rabbit@prod'", "'rabbit@staging'", "pocketwatch adopt");
    assertThatThrownBy(own::require).isInstanceOf(WrongBrokerException.class);

    noted = STAGING; // adopted
    assertThatCode(own::require).doesNotThrowAnyException();
    own.accept(STAGING);
  }

  @Test
  void so_is_another_virtual_host() {
    noted = PRODUCTION;

    assertThatThrownBy(() -> own.accept(new BrokerIdentity("rabbit@prod", "test")))
        .isInstanceOf(WrongBrokerException.class);
  }

  /** What needs no store goes on meanwhile, and what needs it asks again. */
  @Test
  void a_store_that_was_away_at_the_connection_is_asked_before_it_is_used() {
    noted = PRODUCTION;
    away = true;
    own.accept(STAGING);
    assertThatThrownBy(own::require)
        .isInstanceOf(StoreException.class)
        .isNotInstanceOf(WrongBrokerException.class);

    away = false;
    assertThatThrownBy(own::require).isInstanceOf(WrongBrokerException.class);
  }

  private BrokerIdentity note(BrokerIdentity there) {
    asked++;
    if (away) {
      throw new StoreException("away");
    }
    if (noted == null) {
      noted = there;
    }
    return noted;
  }

  private LoadingStore store() {
    return (LoadingStore)
        Proxy.newProxyInstance(
            LoadingStore.class.getClassLoader(),
            new Class<?>[] {LoadingStore.class},
            (self, method, arguments) -> note((BrokerIdentity) arguments[0]));
  }
}
