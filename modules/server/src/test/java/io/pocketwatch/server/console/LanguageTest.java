// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.server.console;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.core.type.TypeReference;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.pocketwatch.server.view.Notice;
import io.pocketwatch.store.Phase;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** The languages of the page, held against each other and against what the page asks for. */
class LanguageTest {
  private static final Pattern PLACEHOLDER = Pattern.compile("\\{(\\w+)}");
  private static final Pattern IN_HTML = Pattern.compile("data-(?:text|label)=\"([^\"]+)\"");
  private static final Pattern IN_SCRIPT = Pattern.compile("\\bt\\('([\\w.-]+)'");

  /** As in {@code t(`state.${each}`)}: what is before and behind. */
  private static final Pattern MADE =
      Pattern.compile("`((?:[\\w-]+\\.)*)\\$\\{[^}]*}((?:\\.[\\w-]+)*)`");

  private static final Pattern QUOTED = Pattern.compile("'([\\w.-]+)'");

  private final Map<String, String> english = words("en");
  private final Map<String, String> chinese = words("zh");

  @Test
  void every_language_has_the_same_keys() {
    assertThat(chinese.keySet()).containsExactlyInAnyOrderElementsOf(english.keySet());
  }

  @Test
  void every_language_has_the_same_placeholders() {
    english.forEach(
        (key, text) ->
            assertThat(placeholders(chinese.get(key))).as(key).isEqualTo(placeholders(text)));
  }

  @Test
  void nothing_is_left_untranslated() {
    assertThat(english).allSatisfy((key, text) -> assertThat(text).as(key).isNotBlank());
    assertThat(chinese).allSatisfy((key, text) -> assertThat(text).as(key).isNotBlank());
    assertThat(chinese.entrySet())
        .filteredOn(each -> each.getValue().equals(english.get(each.getKey())))
        .extracting(Map.Entry::getKey)
        .containsExactlyInAnyOrder("lateness.p50", "lateness.p99");
  }

  @Test
  void the_page_asks_for_no_word_that_is_not_there() {
    assertThat(PageFiles.all())
        .allSatisfy(
            (name, text) ->
                assertThat(english.keySet())
                    .as(name)
                    .containsAll(keys(name.endsWith(".html") ? IN_HTML : IN_SCRIPT, text)));
  }

  @Test
  void no_word_is_there_that_nothing_asks_for() {
    Set<String> asked = new TreeSet<>();
    List<Pattern> made = new ArrayList<>();
    PageFiles.all()
        .forEach(
            (name, text) -> {
              asked.addAll(keys(name.endsWith(".html") ? IN_HTML : QUOTED, text));
              MADE.matcher(text)
                  .results()
                  .filter(each -> !(each.group(1) + each.group(2)).isEmpty())
                  .map(
                      each ->
                          Pattern.quote(each.group(1)) + "[\\w-]+" + Pattern.quote(each.group(2)))
                  .map(Pattern::compile)
                  .forEach(made::add);
            });
    assertThat(english.keySet())
        .filteredOn(key -> !asked.contains(key))
        .allSatisfy(key -> assertThat(made).anyMatch(each -> each.matcher(key).matches()));
  }

  /** The page has the words that REST, commands and metrics have, and no others. */
  @Test
  void every_phase_has_its_own_words() {
    Map<String, String> phases = new TreeMap<>();
    for (Phase phase : Phase.values()) {
      String words = phase.description();
      phases.put(
          "phase." + phase.code(),
          words.substring(0, 1).toUpperCase(Locale.ROOT) + words.substring(1));
      assertThat(english).containsKey("phaseAbout." + phase.code());
    }

    assertThat(english.entrySet())
        .filteredOn(each -> each.getKey().startsWith("phase."))
        .containsExactlyInAnyOrderElementsOf(phases.entrySet());
    assertThat(english.get("tile.pendingAbout").split(", | or "))
        .isSubsetOf(Arrays.stream(Phase.values()).map(Phase::description).toList());
    assertThat(chinese.entrySet())
        .filteredOn(each -> each.getKey().startsWith("phase."))
        .extracting(Map.Entry::getValue)
        .doesNotHaveDuplicates();
  }

  /** Scripts ask for phases by their codes, as in {@code overdue.phases.due}. */
  @Test
  void scripts_name_no_other_phase() {
    Pattern named = Pattern.compile("\\bphases(?:\\.(\\w+)|\\['([^']+)'])");
    assertThat(
            PageFiles.all().values().stream()
                .flatMap(text -> named.matcher(text).results())
                .map(each -> each.group(1) == null ? each.group(2) : each.group(1))
                .distinct())
        .containsExactlyInAnyOrderElementsOf(Phase.overdue().stream().map(Phase::code).toList());
  }

  /** The page has no more parameters than the server gives. */
  @Test
  void every_notice_has_words() {
    for (Notice.Code code : Notice.Code.values()) {
      String key = "notice." + code.text();
      assertThat(english).containsKey(key);
      assertThat(placeholders(code.template())).as(key).containsAll(placeholders(english.get(key)));
    }
  }

  /** As it is before any script has run. */
  @Test
  void the_html_says_what_the_english_file_says() {
    Pattern element = Pattern.compile("data-text=\"([^\"]+)\"[^>]*>([^<]*)<");
    assertThat(element.matcher(PageFiles.all().get("index.html")).results().toList())
        .hasSizeGreaterThan(40)
        .allSatisfy(
            each ->
                assertThat(each.group(2)).as(each.group(1)).isEqualTo(english.get(each.group(1))));
  }

  private static Set<String> keys(Pattern pattern, String text) {
    return pattern.matcher(text).results().map(each -> each.group(1)).collect(Collectors.toSet());
  }

  private static Set<String> placeholders(String text) {
    return PLACEHOLDER
        .matcher(text)
        .results()
        .map(MatchResult::group)
        .collect(Collectors.toCollection(TreeSet::new));
  }

  private static Map<String, String> words(String language) {
    try {
      return new ObjectMapper()
          .readValue(PageFiles.all().get("lang/" + language + ".json"), new TypeReference<>() {});
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }
}
