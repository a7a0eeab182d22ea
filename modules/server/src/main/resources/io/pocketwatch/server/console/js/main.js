// SPDX-License-Identifier: Apache-2.0
// Begins: the words, who is there, then the view that the address names, then the events.
import * as address from './address.js';
import * as language from './language.js';
import * as theme from './theme.js';
import * as session from './session.js';
import * as message from './message.js';
import * as schedule from './schedule.js';
import {find} from './dom.js';
import {zone} from './format.js';
import {follow} from './live.js';
import {connection, heard, wrong} from './notices.js';
import {refreshPanels} from './panel.js';

/** What each view shows. A view's files are read when somebody comes to it. */
const PANELS = {
  overview: ['tiles', 'due', 'lateness', 'rates', 'history'], messages: ['messages', 'parked'], routes: ['routes', 'callbacks'],
  route: ['route'], schedules: ['schedules'], broker: ['unroutable', 'holds', 'loaders'], changes: ['changes']
};
const content = find('#content');
let shown = null;
let status = null;
let away = false;
let began = false;

theme.start();
session.start();
language.onLanguage(() => {
  find('#zone').textContent = language.t('page.zone', {zone: zone()});
  about();
  versions();
});
await language.start();

/** Of the view that is named, or of the first that there is. */
function named() {
  const {view, name} = address.here();
  const there = session.hasStore() ? view in PANELS && view !== 'route' ? view : 'overview' : 'broker';
  return there === 'routes' && name !== null ? 'route' : there;
}

async function arrive() {
  const view = named();
  document.querySelectorAll('[data-view]').forEach(each => { each.hidden = each.dataset.view !== view; });
  document.querySelectorAll('.menu a').forEach(each => {
    const here = each.hash.slice(1) === (view === 'route' ? 'routes' : view);
    each.toggleAttribute('aria-current', here);
    if (here) {
      each.setAttribute('aria-current', 'page');
    }
  });
  if (shown !== null && shown !== view) {
    scrollTo({top: 0, behavior: 'instant'});
    content.focus({preventScroll: true});
  }
  shown = view;
  about();
  const parts = await Promise.all(PANELS[view].map(each => import(`../panel/${each}.js`)));
  parts.forEach(each => each.show?.(status));
  if (shown === view) {
    parts.forEach(each => each.arrive?.());
    refreshPanels();
    message.arrive();
    schedule.arrive();
  }
}

/** The tab's title: how much is wrong, where, and what is shown. */
function about() {
  const count = wrong();
  const parts = [session.place().name, shown === null ? '' : address.here().name ?? language.t(`nav.${shown}`), 'Pocketwatch'];
  document.title = `${count > 0 ? `(${count}) ` : ''}${parts.filter(each => each).join(' · ')}`;
}

function versions() {
  if (status !== null) {
    const {broker: {version: broker}, store} = status;
    find('#versions').textContent = store === null ? language.t('page.broker', {broker}) : language.t('page.versions', {broker, store: store.what});
  }
}

function onState(state, problem) {
  connection(state, problem);
  away ||= state === 'away';
}

async function onStatus(fresh) {
  status = fresh;
  heard(fresh);
  about();
  if (shown === 'overview') {
    (await import('../panel/tiles.js')).show(fresh);
  }
  versions();
  refreshPanels(away); // all at once when the server is back
  away = false;
  message.refreshOpen();
  schedule.refreshOpen();
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

find('.skip').addEventListener('click', event => {
  event.preventDefault(); // the address is the view's
  content.focus();
});
await begin();
address.onAddress(arrive);
arrive();
document.addEventListener('visibilitychange', () => refreshPanels());
follow(onStatus, onState);
