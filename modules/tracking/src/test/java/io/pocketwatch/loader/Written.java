// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.loader;

import io.pocketwatch.store.Claim;
import io.pocketwatch.store.HandOffResult;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** Keeps the verdicts. */
final class Written implements ResultHandler {
  final List<String> confirmed = new ArrayList<>();
  final Map<String, String> parked = new TreeMap<>();
  final List<String> unproved = new ArrayList<>();
  final List<String> refused = new ArrayList<>();
  final List<String> unforeseen = new ArrayList<>();
  final List<String> notHeld = new ArrayList<>();
  final List<String> waiting = new ArrayList<>();
  final List<String> uncertain = new ArrayList<>();
  final List<String> givenBack = new ArrayList<>();
  final List<String> away = new ArrayList<>();

  @Override
  public void confirmed(List<HandOffResult> results) {
    results.forEach(result -> confirmed.add(result.claim().key().id()));
  }

  @Override
  public void park(Claim claim, String reason) {
    parked.put(claim.key().id(), reason);
  }

  @Override
  public void unproved(Claim claim, String reason) {
    unproved.add(claim.key().id());
  }

  @Override
  public void refused(Claim claim, String reason) {
    refused.add(claim.key().id());
  }

  @Override
  public void unforeseen(Claim claim, String reason) {
    unforeseen.add(claim.key().id());
  }

  @Override
  public void notHeld(Claim claim, String reason) {
    notHeld.add(claim.key().id());
  }

  @Override
  public void targetMissing(Claim claim, String reason) {
    waiting.add(claim.key().id());
  }

  @Override
  public void uncertain(List<Claim> claims) {
    claims.forEach(claim -> uncertain.add(claim.key().id()));
  }

  @Override
  public void giveBack(List<Claim> claims, String reason) {
    claims.forEach(claim -> givenBack.add(claim.key().id()));
  }

  @Override
  public void away(List<Claim> claims, String reason) {
    claims.forEach(claim -> away.add(claim.key().id()));
  }
}
