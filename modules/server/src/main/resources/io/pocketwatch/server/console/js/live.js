// SPDX-License-Identifier: Apache-2.0
// Follows the server's events, and begins again when they end.
// Not with EventSource: that cannot send the token.
import {ask} from './api.js';

const SILENCE = 10_000; // the server sends every two seconds
const FIRST_PAUSE = 500;
const LONGEST_PAUSE = 8_000;

/**
 * @param onStatus for every status
 * @param onState with live, away (with the Problem) or connecting
 */
export async function follow(onStatus, onState) {
  let pause = FIRST_PAUSE;
  for (;;) {
    try {
      await readStream(status => {
        pause = FIRST_PAUSE;
        onState('live');
        onStatus(status);
      });
      onState('connecting');
    } catch (problem) {
      onState('away', problem);
    }
    await wait(pause * (0.75 + Math.random() / 2));
    pause = Math.min(pause * 2, LONGEST_PAUSE);
  }
}

async function readStream(onStatus) {
  const ending = new AbortController();
  let silence = setTimeout(() => ending.abort(), SILENCE);
  let left = false;
  const leave = () => { // a browser that keeps the page for Back would keep its connection, and has six
    left = true;
    ending.abort();
  };
  addEventListener('pagehide', leave);
  try {
    const answer = await ask('events', {headers: {Accept: 'text/event-stream'}, signal: ending.signal});
    const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader();
    let text = '';
    for (;;) {
      const {value, done} = await reader.read();
      if (done) {
        return;
      }
      clearTimeout(silence);
      silence = setTimeout(() => ending.abort(), SILENCE);
      const events = (text + value).replaceAll('\r\n', '\n').split('\n\n');
      text = events.pop();
      events.forEach(each => deliver(each, onStatus));
    }
  } catch (problem) {
    if (!left) {
      throw problem;
    }
  } finally {
    removeEventListener('pagehide', leave);
    clearTimeout(silence);
    ending.abort();
  }
}

function deliver(event, onStatus) {
  const lines = event.split('\n');
  if (lines.some(line => /^event: ?status$/.test(line))) {
    onStatus(JSON.parse(lines.filter(line => line.startsWith('data:')).map(line => line.slice(5)).join('\n')));
  }
}

/** At once when the reader comes back to the page, or the network does. */
function wait(millis) {
  return new Promise(resolve => {
    const go = () => {
      clearTimeout(timer);
      removeEventListener('online', go);
      document.removeEventListener('visibilitychange', seen);
      resolve();
    };
    const timer = setTimeout(go, millis);
    const seen = () => document.hidden || go(); // not as the reader leaves
    addEventListener('online', go);
    document.addEventListener('visibilitychange', seen);
  });
}
