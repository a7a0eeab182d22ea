// SPDX-License-Identifier: Apache-2.0
// The reasons that rows and queues carry are the server's English sentences. The usual ones are said in the reader's language.
import {t} from './language.js';

const USUAL = [
  [/^312 NO_ROUTE$/, 'reason.noRoute'],
  [/^callback, given up after try (?<tries>\d+): (?<why>.+)$/s, 'reason.givenUp'],
  [/^HTTP status (?<status>\d+)$/, 'callbacks.status'],
  [/^there is no queue '(?<queue>.*)'$/, 'reason.noQueue'],
  [/^there was no queue '(?<queue>.*)' when it came due; there is now$/, 'reason.noQueueThen'],
  [/^there is no exchange '(?<exchange>.*)'$/, 'reason.noExchange'],
  [/^no queue (?:is|was) bound to exchange '(?<exchange>.*)' for routing key '(?<key>.*?)'(?: when it came due)?$/, 'reason.notBound']
];

/** In words of the page's, if it has some. */
export function worded(reason) {
  for (const [pattern, key] of USUAL) {
    const found = pattern.exec(reason);
    if (found !== null) {
      const {why, ...rest} = found.groups ?? {};
      return t(key, why === undefined ? rest : {...rest, why: worded(why)});
    }
  }
  return reason;
}

/** Of a message that was given up. */
export const reasonOf = ({reason}) => reason ? worded(reason) : t('parked.noReason');
