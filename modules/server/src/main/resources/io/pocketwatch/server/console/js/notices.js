// SPDX-License-Identifier: Apache-2.0
// Says plainly when something is away.
import {fill, h} from './dom.js';
import {clock, number, span} from './format.js';
import {onLanguage, t} from './language.js';

const place = document.getElementById('notices');
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
  document.body.classList.toggle('stale', state === 'away');
  show();
}

function show() {
  const notices = state === 'away' ? [serverAway()] : status === null ? [] : [...away(), ...attention()];
  const signature = JSON.stringify(notices);
  if (signature !== shown) { // said once, not every two seconds
    shown = signature;
    fill(place, notices.map(({grade, title, text, lines}) => h('div', {class: `notice ${grade}`},
      h('p', {class: 'strong'}, title), text ? h('p', {}, text) : null,
      lines ? h('ul', {}, lines.map(line => h('li', {}, line))) : null)));
  }
  if (live.dataset.state !== state || live.lang !== document.documentElement.lang) {
    live.dataset.state = state;
    live.lang = document.documentElement.lang;
    fill(live, h('span', {}, t(`live.${state}`)));
  }
}

function serverAway() {
  const unreachable = why === null || !why.words || why.name === 'unreachable';
  return {
    grade: 'bad',
    title: unreachable ? t('away.server') : t('away.events'),
    text: [unreachable ? '' : why.words(), lastHeard ? t('away.since', {time: clock(lastHeard, true)}) : t('away.never')].join(' ').trim()
  };
}

function away() {
  const list = [];
  if (!status.broker.connected) {
    list.push({grade: 'bad', title: t('away.broker'), text: status.store === null ? '' : t('away.brokerText')});
  }
  if (status.store !== null && !status.store.reachable) {
    list.push({grade: 'bad', title: t('away.store'), text: t('away.storeText')});
  }
  return list;
}

/** A notice in the reader's language. */
const words = ({code, params}) => t(`notice.${code}`, Object.fromEntries(Object.entries(params).map(([name, value]) =>
  [name, name.endsWith('Seconds') ? span(value) : typeof value === 'number' ? number(value) : value])));

/** What else the server says. */
function attention() {
  const said = status.problems.filter(each =>
    !['broker-away', 'store-away'].includes(each.code));
  return [
    ...(said.length ? [{grade: 'bad', title: t('away.problems'), lines: said.map(words)}] : []),
    ...(status.warnings.length ? [{grade: 'fair', title: t('away.warnings'), lines: status.warnings.map(words)}] : [])
  ];
}

onLanguage(() => { if (state !== 'connecting' || status !== null) { show(); } });
