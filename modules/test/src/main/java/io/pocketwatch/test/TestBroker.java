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
 * <p>It sets {@code spring.rabbitmq.addresses}: contexts have a virtual host each. If the
 * application's connection factory does not read that, a {@link TestTime} cannot be injected. Leave
 * it out where the test has its own broker, of a {@code @ServiceConnection} for example. A {@code
 * TestTime} can be injected all the same.
 */
@Documented
@Inherited
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
public @interface TestBroker {}
