// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.sample.orders;

import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;

/** The application. All there is to say about Pocketwatch is in {@code application.yml}. */
@SpringBootApplication
public class OrderShop {
  public static void main(String[] arguments) {
    SpringApplication.run(OrderShop.class, arguments);
  }
}
