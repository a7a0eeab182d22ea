// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.testkit.store;

import static org.assertj.core.api.Assertions.assertThat;

import io.pocketwatch.store.Claim;
import io.pocketwatch.store.MessageQuery;
import io.pocketwatch.store.OverviewStore.Found;
import io.pocketwatch.store.OverviewStore.SearchPlace;
import io.pocketwatch.store.StoredMessage;
import io.pocketwatch.store.StoredMessage.MessageState;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Looking things up. */
public interface QueryContract extends StoreContract {
  private List<String> ids(MessageQuery query) {
    return store().list(query).stream().map(message -> message.key().id()).toList();
  }

  @Test
  default void selects_by_each_property() {
    String route = newRoute();
    Instant at = store().now().plusSeconds(60);
    inserted(message(route, "c", at.plusMillis(1)));
    inserted(message(route, "b", at));
    inserted(message(route, "a", at));
    store().cancel(message(route, "b", at).key());
    MessageQuery all = MessageQuery.all().route(route);
    assertThat(ids(all)).containsExactly("a", "b", "c");
    assertThat(ids(all.limit(2))).containsExactly("a", "b");
    assertThat(ids(all.states(MessageState.CANCELLED, MessageState.HELD))).containsExactly("b");
    assertThat(ids(all.businessKey("order c"))).containsExactly("c");
    assertThat(ids(all.due(at.plusMillis(1), null))).containsExactly("c");
    assertThat(ids(all.due(null, at.plusMillis(1)))).containsExactly("a", "b");
    assertThat(store().count(all.limit(1))).isEqualTo(3);
    assertThat(store().count(all.states(MessageState.PENDING))).isEqualTo(2);
  }

  @Test
  default void selects_by_reason() {
    String route = newRoute();
    Instant at = store().now();
    String reason = "no queue is bound: ";
    inserted(message(route, "a", at));
    inserted(message(route, "b", at));
    inserted(message(route, "c", at));
    for (Claim each : claim(route, LOADER)) {
      park(each, each.key().id().equals("b") ? reason : reason + "x");
    }
    MessageQuery parked = MessageQuery.all().route(route).states(MessageState.PARKED);
    assertThat(ids(parked.reason(reason))).containsExactly("b");
    assertThat(store().count(parked.reason(reason + "x"))).isEqualTo(2);
    assertThat(ids(parked.reason("no queue"))).isEmpty();
  }

  @Test
  default void finds_parts_of_ids_and_business_keys_in_any_case() {
    String route = newRoute();
    Instant at = store().now().plusSeconds(60);
    for (String id : List.of("b-Order-1", "a-ORDER-2", "c-other")) {
      inserted(message(route, id, at));
    }
    List<String> ids = new ArrayList<>();
    List<String> keys = new ArrayList<>();
    SearchPlace place = null;
    do {
      Found found = store().search("oRdEr-", route, place, 1);
      found.ids().forEach(each -> ids.add(each.id()));
      keys.addAll(found.businessKeys());
      place = found.next();
    } while (place != null);
    assertThat(ids).containsExactly("a-ORDER-2", "b-Order-1");
    assertThat(keys).contains("order a-ORDER-2", "order b-Order-1").doesNotContain("order c-other");
    assertThat(store().search("%", route, null, 10).ids()).isEmpty();
  }

  /** More routes than a page has rows. */
  @Test
  default void pages_of_many_routes_in_both_directions() {
    Instant at = store().now().plusSeconds(86_400);
    String key = newRoute();
    for (int i = 0; i < 30; i++) {
      inserted(message(key + i % 12, "m" + i, at.plusMillis(i * 7 % 11)));
    }
    MessageQuery query = MessageQuery.all().states(MessageState.PENDING).due(at, at.plusMillis(11));
    List<String> all = paged(query, 100, key);
    assertThat(all).hasSize(30);
    for (int limit : new int[] {1, 5, 29}) {
      assertThat(paged(query, limit, key)).isEqualTo(all);
      List<String> backwards = paged(query.backwards(), limit, key);
      Collections.reverse(backwards);
      assertThat(backwards).isEqualTo(all);
    }
  }

  private List<String> paged(MessageQuery query, int limit, String prefix) {
    List<String> paged = new ArrayList<>();
    List<StoredMessage> page = store().list(query.limit(limit));
    while (!page.isEmpty()) {
      page.stream()
          .filter(each -> each.key().route().startsWith(prefix))
          .forEach(each -> paged.add(each.key().id()));
      page = store().list(query.limit(limit).after(page.get(page.size() - 1)));
    }
    return paged;
  }

  @Test
  default void lists_backwards() {
    String route = newRoute();
    Instant at = store().now();
    for (int i = 0; i < 9; i++) {
      inserted(message(route, "m" + i, at.plusMillis(i / 2)));
    }
    MessageQuery query = MessageQuery.all().route(route);
    List<String> forward = new ArrayList<>(ids(query));
    Collections.reverse(forward);
    assertThat(paged(query.backwards(), 4, route)).isEqualTo(forward);
  }

  @Test
  default void pages_without_gaps_or_repeats() {
    String route = newRoute();
    Instant at = store().now();
    for (int i = 0; i < 25; i++) {
      inserted(message(route, "m" + i, at.plusMillis(i / 7)));
    }
    MessageQuery query = MessageQuery.all().route(route).limit(4);
    List<String> paged = new ArrayList<>();
    List<StoredMessage> page = store().list(query);
    while (!page.isEmpty()) {
      page.forEach(message -> paged.add(message.key().id()));
      page = store().list(query.after(page.get(page.size() - 1)));
    }
    assertThat(paged).hasSize(25).doesNotHaveDuplicates();
    assertThat(paged).isEqualTo(ids(query.limit(100)));
  }

  @Test
  default void ids_differ_in_case_and_accent() {
    String route = newRoute();
    Instant at = store().now();
    for (String id : List.of("ab", "AB", "äb", "a_b", "a%b", "a'b\\")) {
      inserted(message(route, id, at));
    }
    assertThat(store().count(MessageQuery.all().route(route))).isEqualTo(6);
    assertThat(store().count(MessageQuery.all().businessKey("order AB").route(route))).isOne();
  }
}
