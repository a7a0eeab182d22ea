// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.sample.quickstart;

import static io.pocketwatch.spring.Delayed.delay;

import java.time.Duration;
import java.time.Instant;
import org.springframework.amqp.core.Queue;
import org.springframework.amqp.core.QueueBuilder;
import org.springframework.amqp.rabbit.annotation.RabbitListener;
import org.springframework.amqp.rabbit.core.RabbitTemplate;
import org.springframework.boot.ApplicationRunner;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.context.annotation.Bean;

@SpringBootApplication
public class Quickstart {
  public static void main(String[] args) {
    SpringApplication.run(Quickstart.class, args);
  }

  @Bean
  Queue reminders() {
    return QueueBuilder.durable("reminders").quorum().build();
  }

  @Bean
  ApplicationRunner remind(RabbitTemplate rabbitTemplate) {
    return arguments -> {
      rabbitTemplate.convertAndSend(
          "", "reminders", "Drink some tea", delay(Duration.ofSeconds(5)));
      System.out.println(Instant.now() + " sent");
    };
  }

  @RabbitListener(queues = "reminders")
  void arrived(String text) {
    System.out.println(Instant.now() + " arrived: " + text);
  }
}
