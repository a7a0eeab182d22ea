// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.testkit.contract;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * A test that is run once for each strategy of its setup. Where JUnit's parallel execution is on,
 * side by side with others: they mostly wait.
 */
@Target(ElementType.METHOD)
@Retention(RetentionPolicy.RUNTIME)
@ParameterizedTest(name = "{0}")
@MethodSource("strategies")
@Execution(ExecutionMode.CONCURRENT)
@interface PerStrategy {}
