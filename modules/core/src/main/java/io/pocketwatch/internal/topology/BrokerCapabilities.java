// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.internal.topology;

import io.pocketwatch.NativeHold;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The capabilities of a broker, as one connection has shown them.
 *
 * @param version the broker's version, for example {@code 4.3.6}
 * @param delayedExchange whether it has the {@code x-delayed-message} exchange type; found by
 *     trying, because the version says nothing about it
 * @param localRandomExchange whether it has the {@code x-local-random} exchange type, from 4.0 on;
 *     found by trying, because it can be switched off
 * @param frameMax the largest frame in bytes, 0 for no limit; a message's properties must fit in
 *     one
 * @param userName the connection's user, the only {@code user-id} that its messages may carry
 * @param nativeHold whether it holds messages by their delivery time. A probe finds that, because
 *     the version says nothing about the connection's node and the cluster's queues
 */
public record BrokerCapabilities(
    String version,
    boolean delayedExchange,
    boolean localRandomExchange,
    int frameMax,
    String userName,
    NativeHold nativeHold) {
  private static final Pattern MAJOR_MINOR = Pattern.compile("(\\d+)\\.(\\d+).*");

  private static final int USUAL_FRAME_MAX = 131_072;

  /** The capabilities of a broker not asked whether it holds messages by delivery time. */
  public BrokerCapabilities(
      String version,
      boolean delayedExchange,
      boolean localRandomExchange,
      int frameMax,
      String userName) {
    this(version, delayedExchange, localRandomExchange, frameMax, userName, NativeHold.NOT_ASKED);
  }

  /** A copy with the result of a probe. */
  public BrokerCapabilities with(NativeHold nativeHold) {
    return new BrokerCapabilities(
        version, delayedExchange, localRandomExchange, frameMax, userName, nativeHold);
  }

  /** The capabilities assumed before the first connection: no extras, the usual frame size. */
  public static BrokerCapabilities unknown(String userName) {
    return new BrokerCapabilities("", false, false, USUAL_FRAME_MAX, userName);
  }

  /** Whether a broker of that version has the exchange type, if not switched off: from 4.0 on. */
  public static boolean mayHaveLocalRandomExchange(String version) {
    return major(version) >= 4;
  }

  /** Whether messages of different priority do not wait for each other in a quorum queue. */
  public boolean priorityLanes() {
    return major(version) >= 4;
  }

  /** Whether a quorum queue keeps messages in two priority classes and expires only their heads. */
  public boolean twoPriorityClasses() {
    return major(version) == 4 && minor(version) < 3;
  }

  /** The major version; 0 if the text is no version. */
  private static int major(String version) {
    return part(version, 1);
  }

  private static int minor(String version) {
    return part(version, 2);
  }

  private static int part(String version, int group) {
    Matcher matcher = MAJOR_MINOR.matcher(version);
    return matcher.matches() ? Integer.parseInt(matcher.group(group)) : 0;
  }
}
