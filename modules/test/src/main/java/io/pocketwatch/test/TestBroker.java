// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.test;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Gives the application context of a Spring test a real RabbitMQ, found as {@link
 * PocketwatchExtension} finds it:
 *
 * <pre>{@code
 * @SpringBootTest
 * @TestBroker
 * class OrderTimeoutIT {
 *   @Autowired TestTime pocketwatch;
 * }
 * }</pre>
 *
 * <p>It sets {@code spring.rabbitmq.addresses}, with a virtual host for each context. If the
 * application's connection factory ignores that, a {@link TestTime} cannot be injected. Leave the
 * annotation out where the test has its own broker, as of a {@code @ServiceConnection}. A {@code
 * TestTime} can be injected all the same.
 */
@Documented
@Inherited
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
public @interface TestBroker {}
