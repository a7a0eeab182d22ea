// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.testkit.contract;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * A test beside which no other test of its setup runs. JUnit's own resource locks would do, but
 * under a parameterized class they make all of its tests run one after the other.
 */
@Target(ElementType.METHOD)
@Retention(RetentionPolicy.RUNTIME)
@interface Alone {}
