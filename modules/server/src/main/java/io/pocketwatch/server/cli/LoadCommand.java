// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.server.cli;

import io.pocketwatch.PocketwatchEvent;
import io.pocketwatch.PocketwatchListener;
import io.pocketwatch.handoff.HandOff;
import io.pocketwatch.loader.LoadReport;
import io.pocketwatch.loader.Loader;
import io.pocketwatch.screen.Json;
import io.pocketwatch.screen.Numbers;
import io.pocketwatch.screen.Progress;
import io.pocketwatch.screen.Screen;
import io.pocketwatch.server.broker.NamedBroker;
import io.pocketwatch.server.view.TimeText;
import io.pocketwatch.store.StoreEvent;
import io.pocketwatch.tracking.TrackedPublisher;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Runs a loader once, by hand. */
@Command(
    name = "load",
    description = {
      "Hands stored messages to the broker once: all that are due up to the horizon, as the"
          + " nightly run does, or up to a time.",
      "It is safe at any moment and beside any other loader.",
      ""
    },
    footer = {
      "",
      "  pocketwatch load --broker amqp://user:password@host:5672/vhost",
      "  pocketwatch load --until 2026-01-31",
      "",
      "Exit code 0 only if it went through everything there was to load; else 1."
    })
public final class LoadCommand extends StoreCommand {
  @Option(
      names = "--until",
      paramLabel = "T",
      description = "Load what is due before this time; default: the horizon.")
  private @Nullable String untilText;

  @Mixin private BrokerOption brokerOption;

  @Option(names = "--json", description = "Print one JSON object in place of a sentence.")
  private boolean json;

  private @Nullable Instant until;

  @Override
  void checkTimes(TimeArguments moments) {
    until = time(moments, "--until", untilText);
  }

  @Override
  boolean run(Invocation call) {
    Screen screen = call.screen();
    NamedBroker broker = brokerOption.named(screen::say);
    try (TrackedPublisher publisher =
        broker
            .publisher()
            .routes(call.file().routes())
            .build(TrackedPublisher.with(call.store()))) {
      Instant upTo = until == null ? publisher.unwrap(HandOff.class).horizon() : until;
      screen.say("Loading what is due up to %s".formatted(TimeText.show(upTo)));
      LoadReport report;
      try (LoadedSoFar soFar = new LoadedSoFar(screen);
          Loader loader = new Loader(publisher, soFar)) {
        report = until == null ? loader.runOnce() : loader.runUntil(upTo);
      }
      show(screen, report);
      return report.complete();
    }
  }

  private void show(Screen screen, LoadReport report) {
    String sentence = sentence(report);
    if (json) {
      screen.say(sentence);
      screen.result(Json.line(json(report)));
    } else {
      screen.result(sentence);
    }
  }

  static String sentence(LoadReport report) {
    List<String> parts = new ArrayList<>();
    parts.add(
        report.total() == 0
            ? "Nothing to hand off"
            : Numbers.of(report.total(), "message") + " handed to the broker");
    part(parts, report.parked(), "parked (see: pocketwatch parked)");
    part(parts, report.waiting(), "left for later");
    part(parts, report.givenBack(), "given back, because the broker did not take them");
    part(parts, report.outrun(), "changed or settled meanwhile");
    String took = " (" + Numbers.seconds(report.duration()) + ").";
    String reason = report.reason() == null ? "" : " Not complete: " + report.reason();
    return String.join(", ", parts) + took + reason;
  }

  private static void part(List<String> parts, long number, String what) {
    if (number > 0) {
      parts.add(Numbers.count(number) + " " + what);
    }
  }

  private static Map<String, @Nullable Object> json(LoadReport report) {
    Map<String, @Nullable Object> object = new LinkedHashMap<>();
    object.put("upTo", report.horizon().toString());
    object.put("loaded", report.total());
    object.put("routes", report.loaded());
    object.put("parked", report.parked());
    object.put("waiting", report.waiting());
    object.put("givenBack", report.givenBack());
    object.put("outrun", report.outrun());
    object.put("seconds", report.duration().toMillis() / 1_000.0);
    object.put("complete", report.complete());
    object.put("error", report.reason());
    return object;
  }

  /** Shows what a load has handed over so far. Batches are confirmed on several threads. */
  private static final class LoadedSoFar implements PocketwatchListener, AutoCloseable {
    private final Progress progress;
    private long loaded;

    LoadedSoFar(Screen screen) {
      progress = new Progress(screen, "loaded", Duration.ofSeconds(5));
    }

    @Override
    public synchronized void onEvent(PocketwatchEvent event) {
      if (event instanceof StoreEvent.Loaded batch) {
        loaded += batch.messages();
        String line = Numbers.of(loaded, "message") + " loaded";
        progress.show(loaded, -1, batch.route(), () -> line);
      }
    }

    @Override
    public void close() {
      progress.close();
    }
  }
}
