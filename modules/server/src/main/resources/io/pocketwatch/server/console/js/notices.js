// SPDX-License-Identifier: Apache-2.0
// Says plainly what is wrong: what is away on every view, what else needs a look on the first one.
import {link} from './address.js';
import {fill, h} from './dom.js';
import {clock, number, span} from './format.js';
import {has, onLanguage, t} from './language.js';

const SILENT = 4; // seconds after which a question that is not answered is worth a word
const place = document.getElementById('notices');
const warnings = document.getElementById('warnings');
const live = document.getElementById('live');
let state = 'connecting';
let why = null;
let lastHeard = null;
let status = null;
let shown = '';

export function heard(fresh) {
  status = fresh;
  lastHeard = new Date();
  show();
}

export function connection(now, problem = null) {
  if (now === 'connecting' && state === 'away') {
    return;
  }
  state = now;
  why = problem;
  show();
}

/** How many things. */
export const wrong = () => state === 'away' ? 1 : status === null ? 0 : away().length + said(status.problems).length + status.warnings.length;

function show() {
  const notices = state === 'away' ? [serverAway()] : status === null ? [] : [...away(), ...problems()];
  const others = state === 'away' || status === null ? [] : status.warnings.map(worded);
  const now = state === 'live' && status !== null && away().length > 0 ? 'partly' : state;
  const count = wrong();
  const signature = JSON.stringify([notices, others, now, count, document.documentElement.lang]);
  if (signature === shown) {
    return; // said once, not every two seconds
  }
  shown = signature;
  document.body.classList.toggle('stale', now === 'away' || now === 'partly');
  fill(place, notices.map(({grade, title, text, lines}) => h('div', {class: `notice ${grade}`},
    h('p', {class: 'strong'}, title), text ? h('p', {}, text) : null, lines ? list(lines) : null)));
  fill(warnings, others.length > 0 ? h('div', {class: 'notice fair'}, h('p', {class: 'strong'}, t('away.warnings')), list(others)) : null);
  live.dataset.state = now;
  fill(live, h('span', {}, t(`live.${now}`)), count > 0 ? h('a', {class: 'wrong', href: link(document.body.classList.contains('no-store') ? 'broker' : 'overview')}, t('live.wrong', {count: number(count)})) : null);
}

const list = lines => h('ul', {}, lines.map(({text, links}) => h('li', {}, text, links.map(([words, to]) => [' ', h('a', {href: to}, words)]))));

function serverAway() {
  const unreachable = why === null || !why.words || why.name === 'unreachable';
  return {
    grade: 'bad',
    title: unreachable ? t('away.server') : t('away.events'),
    text: [unreachable ? '' : why.words(), lastHeard ? t('away.since', {time: clock(lastHeard, true)}) : t('away.never')].join(' ').trim()
  };
}

function away() {
  const parts = [];
  const {broker, store} = status;
  if (!broker.connected || broker.silentSeconds > SILENT) {
    parts.push({grade: 'bad', title: t('away.broker'), text: [reason('broker-away'), store === null ? '' : t('away.brokerText')].join(' ').trim()});
  }
  if (store !== null && (!store.reachable || store.silentSeconds > SILENT)) {
    parts.push({grade: 'bad', title: t('away.store'), text: [reason('store-away'), t('away.storeText')].join(' ').trim()});
  }
  return parts;
}

const AWAY = ['broker-away', 'store-away']; // said in our own words
const said = all => all.filter(each => !AWAY.includes(each.code));

/** What the other side gives as its reason, if it does. */
const reason = code => {
  const given = status.problems.find(each => each.code === code)?.params.reason;
  return given ? t('away.reason', {reason: given}) : '';
};

function problems() {
  const lines = said(status.problems).map(worded);
  return lines.length > 0 ? [{grade: 'bad', title: t('away.problems'), lines}] : [];
}

/** In the reader's language, with where to go. What this page does not know yet is in the server's words. */
function worded({code, params, text}) {
  const key = `notice.${code}`;
  const shownParams = Object.fromEntries(Object.entries(params).map(([name, value]) =>
    [name, name.endsWith('Seconds') ? span(value) : typeof value === 'number' ? number(value) : value]));
  return {text: has(key) ? t(key, shownParams) : text, links: links(code, params)};
}

function links(code, {route, schedule}) {
  const to = [];
  if (code.startsWith('overdue')) {
    to.push([t('notice.show'), link('messages', {overdue: 'true', route})]);
  }
  if (route) {
    to.push([t('notice.route'), link('routes', {}, route)]);
  }
  if (schedule) {
    to.push([t('notice.schedule'), link('schedules', {schedule})]);
  }
  if (['unroutable', 'holds-broken', 'holds-untested', 'queue-uncounted', 'nobody-loads', 'load-failed', 'loader-stuck', 'delivery-time-unused'].includes(code)) {
    to.push([t('notice.broker'), link('broker')]);
  }
  return to;
}

onLanguage(() => { if (state !== 'connecting' || status !== null) { show(); } });
