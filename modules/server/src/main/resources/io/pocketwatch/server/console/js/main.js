// SPDX-License-Identifier: Apache-2.0
// Begins: the words, who is there, then every panel by itself, then the events.
import * as language from './language.js';
import * as theme from './theme.js';
import * as session from './session.js';
import {find} from './dom.js';
import {zone} from './format.js';
import {follow} from './live.js';
import {refreshOpen} from './message.js';
import {connection, heard} from './notices.js';
import {refreshPanels} from './panel.js';
import {refreshOpen as refreshSchedule} from './schedule.js';

const PANELS = ['tiles', 'due', 'lateness', 'rates', 'history', 'messages', 'routes', 'parked', 'schedules', 'callbacks', 'holds', 'loaders'];

theme.start();
session.start();
language.onLanguage(() => { find('#zone').textContent = language.t('page.zone', {zone: zone()}); });
await language.start();
const [tiles, , , , history, messages, , , schedules] = await Promise.all(PANELS.map(each => import(`../panel/${each}.js`)));

let away = false;
let began = false;

function onState(state, problem) {
  connection(state, problem);
  away ||= state === 'away';
}

function onStatus(status) {
  heard(status);
  if (status.store !== null) {
    tiles.show(status);
  } else {
    find('#versions').textContent = language.t('page.broker', {broker: status.broker.version});
  }
  refreshPanels(away); // all at once when the server is back
  away = false;
  refreshOpen();
  refreshSchedule();
}

async function begin() {
  while (!began) {
    try {
      await session.identify();
      began = true;
    } catch (problem) {
      onState('away', problem);
      await new Promise(resolve => setTimeout(resolve, 2_000));
    }
  }
}

await begin();
refreshPanels(true);
if (session.hasStore()) {
  history.begin();
  messages.begin();
  schedules.openLinked();
}
document.addEventListener('visibilitychange', () => refreshPanels());
follow(onStatus, onState);
