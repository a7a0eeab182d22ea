// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.boot;

import com.rabbitmq.client.ConnectionFactory;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.WebApplicationType;
import org.springframework.context.ConfigurableApplicationContext;

/** Starts an application as its main method would, with its properties given here. */
final class Application {
  private Application() {}

  static ConfigurableApplicationContext start(
      ConnectionFactory broker, Class<?> configuration, String... properties) {
    SpringApplication application = new SpringApplication(configuration);
    application.setWebApplicationType(WebApplicationType.NONE);
    List<String> arguments = new ArrayList<>();
    arguments.add(
        "--spring.rabbitmq.addresses=%s:%s".formatted(broker.getHost(), broker.getPort()));
    arguments.add("--spring.rabbitmq.username=" + broker.getUsername());
    arguments.add("--spring.rabbitmq.password=" + broker.getPassword());
    arguments.add("--spring.rabbitmq.virtual-host=" + broker.getVirtualHost());
    arguments.add("--spring.main.banner-mode=off");
    // 36 queues instead of 271: contexts start often here
    arguments.add("--pocketwatch.wheel.max-delay=90s");
    for (String hand : List.of("0:10s", "1:1s", "2:100ms", "3:10ms")) {
      arguments.add("--pocketwatch.wheel.hands[%s]=%s".formatted((Object[]) hand.split(":")));
    }
    Arrays.stream(properties).map(property -> "--" + property).forEach(arguments::add);
    return application.run(arguments.toArray(String[]::new));
  }
}
