// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.spring.wiring;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.amqp.rabbit.connection.ConnectionFactory;
import org.springframework.beans.factory.BeanFactoryUtils;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.beans.factory.SmartInitializingSingleton;

/**
 * For an application that Pocketwatch was left out of for want of a connection factory: says so if
 * there is one in the end, as what came later may have brought it. Its templates delay nothing.
 */
public final class AbsenceWarning implements SmartInitializingSingleton {
  private static final Logger LOG = LoggerFactory.getLogger(AbsenceWarning.class);

  private final ListableBeanFactory beans;
  private final String excluded;

  /**
   * @param excluded the configuration that would have brought a connection factory in time
   */
  public AbsenceWarning(ListableBeanFactory beans, String excluded) {
    this.beans = beans;
    this.excluded = excluded;
  }

  @Override
  public void afterSingletonsInstantiated() {
    String[] names =
        BeanFactoryUtils.beanNamesForTypeIncludingAncestors(
            beans, ConnectionFactory.class, true, false);
    if (names.length > 0) {
      LOG.warn(
          "Nothing is delayed here, Pocketwatch is left out: {} is excluded, and the connection"
              + " factory '{}' was not there yet when that was decided. Define it in a"
              + " configuration of the application itself, or set pocketwatch.enabled: false",
          excluded,
          names[0]);
    }
  }
}
