// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.boot;

import static io.pocketwatch.spring.Delayed.delay;
import static org.assertj.core.api.Assertions.assertThat;

import io.pocketwatch.store.MessageKey;
import io.pocketwatch.store.SchedulingStore;
import io.pocketwatch.testkit.BrokerExtension;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.cloud.stream.function.StreamBridge;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.messaging.support.MessageBuilder;

/** The code and the configuration that guides/spring-cloud-stream.md shows. */
@Tag("stream")
class StreamGuideIT {
  @RegisterExtension static final BrokerExtension BROKER = BrokerExtension.anyVersion();

  private static final Path PAGE = Path.of("../docs/guides/spring-cloud-stream.md");
  private static final Pattern YAML = Pattern.compile("(?s)```yaml\n(.*?)```");

  @Test
  void an_order_times_out_on_time(@TempDir Path folder) throws Exception {
    Matcher yaml = YAML.matcher(Files.readString(PAGE));
    assertThat(yaml.find()).isTrue();
    Path file = Files.writeString(folder.resolve("application.yml"), yaml.group(1));
    try (ConfigurableApplicationContext context =
        Application.start(
            BROKER.connectionFactory(),
            Shop.class,
            "spring.config.additional-location=" + file.toUri(),
            "spring.datasource.generate-unique-name=true",
            "spring.autoconfigure.exclude=" + String.join(",", StoreStarterIT.HIBERNATE),
            "spring.data.jpa.repositories.enabled=false",
            "pocketwatch.loader.sweep=500ms")) {
      Shop shop = context.getBean(Shop.class);
      Instant now = Instant.now();
      shop.placed("order-4711", Duration.ofMillis(1_500));
      shop.placed("order-4712", Duration.ofMinutes(30));
      assertThat(shop.cancelled.poll(30, TimeUnit.SECONDS)).isEqualTo("order-4711");
      assertThat(Duration.between(now, Instant.now())).isGreaterThan(Duration.ofMillis(1_500));
      assertThat(
              context
                  .getBean(SchedulingStore.class)
                  .find(new MessageKey("order-timeout", "order-4712")))
          .hasValueSatisfying(
              row ->
                  assertThat(row.message().deliverAt()).isAfterOrEqualTo(now.plusSeconds(1_800)));
    }
  }

  @Configuration(proxyBeanMethods = false)
  @EnableAutoConfiguration
  static class Shop {
    final BlockingQueue<String> cancelled = new LinkedBlockingQueue<>();

    @Autowired private StreamBridge streamBridge;

    void placed(String order, Duration timeout) {
      streamBridge.send(
          "placed-out-0",
          MessageBuilder.withPayload(order)
              .copyHeaders(delay(timeout).id(order).headers())
              .build());
    }

    @Bean
    Consumer<String> orderTimeouts() {
      return order -> cancelUnpaid(order);
    }

    private void cancelUnpaid(String order) {
      cancelled.add(order);
    }
  }
}
