// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.internal.topology;

import static org.assertj.core.api.Assertions.assertThat;

import io.pocketwatch.DelayedMessage;
import io.pocketwatch.InvalidMessageException;
import io.pocketwatch.config.DelayRoutes;
import io.pocketwatch.config.InvalidConfigurationException;
import io.pocketwatch.config.ShippedConfiguration;
import io.pocketwatch.internal.plan.DelayPlanner;
import io.pocketwatch.internal.plan.PublishPlan;
import io.pocketwatch.internal.plan.Submission;
import io.pocketwatch.internal.topology.BrokerModel.Arrival;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/**
 * Whatever a message or a configuration looks like: it is refused with a reason, or it does what it
 * says. For a message that means that it reaches the queues it would reach if it were published
 * straight, and no others: no key or header of its sender steers it elsewhere. At least a second
 * each, or {@code -Dpocketwatch.fuzz.seconds=600}; {@code -Dpocketwatch.fuzz.seed=N} repeats.
 */
class FuzzIT {
  private static final Duration TIME =
      Duration.ofSeconds(Integer.getInteger("pocketwatch.fuzz.seconds", 1));
  private static final long SEED = Long.getLong("pocketwatch.fuzz.seed", System.nanoTime());
  private static final Pattern STEERING = Pattern.compile("pw-[A-Za-z0-9_~-]{1,252}");

  /** However slow the machine is: fewer may all be refused. */
  private static final int LEAST = 500;

  /** A model remembers what it has declared for messages of their own. */
  private static final int PER_MODEL = 2_000;

  @Test
  void a_message_is_refused_or_goes_where_it_says() {
    FuzzMessages messages = new FuzzMessages(SEED);
    DelayPlanner planner = new DelayPlanner(FuzzMessages.ROUTES, FuzzMessages.BROKER);
    BrokerModel broker = FuzzMessages.broker();
    long end = System.nanoTime() + TIME.toNanos();
    long planned = 0;
    long delivered = 0;
    long count = 0;
    for (; count < LEAST || System.nanoTime() < end; count++) {
      if (count % PER_MODEL == PER_MODEL - 1) {
        broker = FuzzMessages.broker();
      }
      DelayedMessage message = messages.next();
      try {
        PublishPlan plan = plan(planner, message);
        planned++;
        if (FuzzMessages.known(plan)) {
          delivered += assertGoesWhereItSays(broker, planner, message, plan);
        }
      } catch (InvalidMessageException refused) {
        assertThat(refused).hasMessageMatching("(?s).{10,}");
      } catch (RuntimeException | Error e) {
        throw new AssertionError("seed " + SEED + ", message " + count + ": " + message, e);
      }
    }
    System.out.printf(
        "Fuzz, seed %s: %s messages, %s planned, %s arrivals compared%n",
        SEED, count, planned, delivered);
    assertThat(planned).isBetween(count / 10, count);
    assertThat(delivered).isPositive();
  }

  @Test
  void a_configuration_is_refused_or_read() throws IOException {
    FuzzYaml yaml = new FuzzYaml(SEED, ShippedConfiguration.withoutComments());
    long end = System.nanoTime() + TIME.toNanos();
    long read = 0;
    long count = 0;
    for (; count < LEAST || System.nanoTime() < end; count++) {
      String text = yaml.next();
      try {
        assertThat(DelayRoutes.parse(text, "fuzz")).isNotNull();
        read++;
      } catch (InvalidConfigurationException refused) {
        assertThat(refused).hasMessageMatching("(?s)fuzz(:\\d+)?: .+");
      } catch (RuntimeException | Error e) {
        throw new AssertionError("seed " + SEED + ", YAML " + count + ":\n" + text, e);
      }
    }
    System.out.printf("Fuzz, seed %s: %s YAML texts, %s read%n", SEED, count, read);
    assertThat(read).isBetween(1L, count - 1);
  }

  private static PublishPlan plan(DelayPlanner planner, DelayedMessage message) {
    Submission submission = planner.accept(message, FuzzMessages.NOW);
    PublishPlan plan = planner.plan(submission, FuzzMessages.NOW);
    planner.requireSendable(submission);
    return plan;
  }

  private static long assertGoesWhereItSays(
      BrokerModel broker, DelayPlanner planner, DelayedMessage message, PublishPlan plan) {
    DelayedMessage now =
        DelayedMessage.to(message.exchange(), message.routingKey())
            .properties(message.properties());
    PublishPlan straight = planner.plan(planner.accept(now, FuzzMessages.NOW), FuzzMessages.NOW);
    List<Arrival> arrivals = broker.prepareAndPublish(FuzzMessages.NAMES, plan);
    assertThat(queues(arrivals)).isEqualTo(queues(broker.publish(straight)));
    assertThat(arrivals).allMatch(each -> each.routingKey().equals(message.routingKey()));
    return arrivals.size();
  }

  private static Set<String> queues(List<Arrival> arrivals) {
    return arrivals.stream().map(Arrival::queue).collect(Collectors.toSet());
  }
}
