// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.sample.orders;

import static org.assertj.core.api.Assertions.assertThat;

import io.pocketwatch.boot.CheckedProperties;
import io.pocketwatch.boot.PocketwatchProperties;
import io.pocketwatch.config.DelayRoute.Tracking;
import io.pocketwatch.config.DelayRoutes;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.env.YamlPropertySourceLoader;
import org.springframework.core.env.PropertySource;
import org.springframework.core.env.StandardEnvironment;
import org.springframework.core.io.ByteArrayResource;
import org.springframework.core.io.ClassPathResource;
import org.springframework.core.io.Resource;

/** What is written for an application is read here as an application reads it. */
class GuidesTest {
  private static final Pattern YAML = Pattern.compile("(?ms)^```yaml\\n(.*?)^```");

  @Test
  void the_yaml_of_the_migration_guide_holds_what_the_plugin_held() throws IOException {
    List<String> yaml = yaml(Path.of("../docs/guides/from-the-plugin.md"));
    assertThat(yaml).hasSize(1);
    assertThat(read(yaml.get(0)).routes().hold().wheel().maxDelay())
        .isEqualTo(Duration.ofDays(50))
        .isGreaterThan(Duration.ofMillis(1L << 32));
  }

  @Test
  void the_yaml_of_the_guide_is_taken_by_an_application() throws IOException {
    Application read = read(yaml(Path.of("../docs/guides/spring.md")).get(0));
    assertThat(read.properties().store().enabled()).isTrue();
    assertThat(read.routes().named("order-timeout").tracking()).isEqualTo(Tracking.FULL);
  }

  @Test
  void the_route_of_the_sample_is_tracked_and_declares_no_queue_it_would_not_use()
      throws IOException {
    Application read = read(new ClassPathResource("application.yml"));
    var route = read.routes().named("order-timeout");
    assertThat(route.delays()).as("of no use to what comes from the store").isEmpty();
    assertThat(route.tracking()).isEqualTo(Tracking.FULL);
    assertThat(read.properties().store().enabled()).isTrue();
  }

  private static List<String> yaml(Path guide) throws IOException {
    return YAML.matcher(Files.readString(guide)).results().map(found -> found.group(1)).toList();
  }

  private static Application read(String yaml) throws IOException {
    return read(new ByteArrayResource(yaml.getBytes(StandardCharsets.UTF_8)));
  }

  private static Application read(Resource yaml) throws IOException {
    StandardEnvironment environment = new StandardEnvironment();
    for (PropertySource<?> each : new YamlPropertySourceLoader().load("yaml", yaml)) {
      environment.getPropertySources().addLast(each);
    }
    return new Application(
        Binder.get(environment).bind("pocketwatch", PocketwatchProperties.class).get(),
        CheckedProperties.of(environment).routes());
  }

  private record Application(PocketwatchProperties properties, DelayRoutes routes) {}
}
