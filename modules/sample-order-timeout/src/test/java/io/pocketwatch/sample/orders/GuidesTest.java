// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.sample.orders;

import static org.assertj.core.api.Assertions.assertThat;

import io.pocketwatch.route.Tracking;
import io.pocketwatch.spring.wiring.PocketwatchSettings;
import io.pocketwatch.spring.wiring.PropertyMaps;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.springframework.boot.context.properties.bind.Bindable;
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
    String guide = Files.readString(Path.of("../spring/MIGRATION.md"));
    List<String> yaml = YAML.matcher(guide).results().map(found -> found.group(1)).toList();
    assertThat(yaml).hasSize(1);
    assertThat(
            read(new ByteArrayResource(yaml.get(0).getBytes())).routes().hold().wheel().maxDelay())
        .isEqualTo(Duration.ofDays(50))
        .isGreaterThan(Duration.ofMillis(1L << 32));
  }

  @Test
  void the_route_of_the_sample_is_tracked_and_declares_no_queue_it_would_not_use()
      throws IOException {
    PocketwatchSettings settings = read(new ClassPathResource("application.yml"));
    var route = settings.routes().named("order-timeout");
    assertThat(route.delays()).as("of no use to what comes from the store").isEmpty();
    assertThat(route.store().tracking()).isEqualTo(Tracking.FULL);
    assertThat(settings.store().enabled()).isTrue();
  }

  private static PocketwatchSettings read(Resource yaml) throws IOException {
    StandardEnvironment environment = new StandardEnvironment();
    for (PropertySource<?> each : new YamlPropertySourceLoader().load("yaml", yaml)) {
      environment.getPropertySources().addLast(each);
    }
    Map<String, Object> properties =
        Binder.get(environment)
            .bind("pocketwatch", Bindable.mapOf(String.class, Object.class))
            .get();
    return PocketwatchSettings.of(PropertyMaps.withLists(properties));
  }
}
