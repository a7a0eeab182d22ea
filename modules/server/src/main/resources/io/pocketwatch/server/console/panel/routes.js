// SPDX-License-Identifier: Apache-2.0
// A card per route: how many of its messages are in which state, and what is overdue. Each of these leads to the list.
import {link} from '../js/address.js';
import {get} from '../js/api.js';
import {fill, h} from '../js/dom.js';
import {number, span} from '../js/format.js';
import {t} from '../js/language.js';
import {empty, panel} from '../js/panel.js';
import {late, stateWord} from '../js/states.js';

const STATES = ['PARKED', 'FAILED', 'PENDING', 'HELD', 'SETTLED', 'CANCELLED'];
const SHOWN = 24;
const SETTINGS_FOR = 60_000;
let configured = null;
let askedAt = 0;
let open = false;

/** What is configured changes seldom, and there may be a thousand. */
async function load() {
  if (Date.now() - askedAt > SETTINGS_FOR) {
    configured = (await get('routes')).routes;
    askedAt = Date.now();
  }
  const {routes, overdue} = await get('counts/states');
  const settings = Object.fromEntries(configured.map(each => [each.name, each]));
  return [...new Set([...Object.keys(settings), ...Object.keys(routes)])].map(route => {
    const counts = routes[route] ?? {};
    return {route, counts, all: STATES.reduce((sum, state) => sum + (counts[state] ?? 0), 0), overdue: overdue?.[route] ?? null, tracking: settings[route]?.tracking ?? null};
  }).sort((a, b) => urgency(b) - urgency(a) || a.route.localeCompare(b.route));
}

panel('routes', 6, load, (body, cards) => {
  if (cards.length === 0) {
    fill(body, empty(t('routes.empty'), t('routes.emptyAdvice')));
    return;
  }
  const rest = cards.slice(SHOWN);
  const more = h('div', {}, open ? grid(rest) : null);
  fill(body, grid(cards.slice(0, SHOWN)), rest.length === 0 ? null : h('details', {open, ontoggle: event => {
    open = event.target.open;
    fill(more, open ? grid(rest) : null);
  }}, h('summary', {'data-key': 'routes'}, t('routes.more', {count: number(rest.length)})), more));
});

/** Where a person is needed comes first. */
const urgency = ({overdue, counts}) => late(overdue) ? 3 : counts.PARKED > 0 ? 2 : counts.FAILED > 0 ? 1 : 0;

const grid = cards => h('ul', {class: 'route-cards'}, cards.map(card));

const card = ({route, counts, all, overdue, tracking}) => h('li', {'data-route': route},
  h('h3', {}, h('a', {href: link('routes', {}, route), 'data-key': `route ${route}`}, route), ' ', h('small', {}, tracking === 'none' ? t('routes.untracked') : tracking === null ? t('routes.gone') : number(all))),
  overdue?.count > 0 ? h('p', {}, h('a', {class: late(overdue) ? 'mark overdue' : 'mark', 'data-key': `overdue ${route}`, href: link('messages', {state: 'overdue', route})},
    t('routes.overdue', {count: number(overdue.count), span: span(Math.floor(overdue.oldestSeconds))}))) : null,
  all === 0 ? null : h('div', {class: 'bar', 'aria-hidden': 'true'}, STATES.filter(state => counts[state] > 0).map(state => part(state, counts[state]))),
  all === 0 ? null : h('p', {class: 'of'}, STATES.filter(state => counts[state] > 0).map(state =>
    h('a', {class: `of-${state.toLowerCase()}`, 'data-key': `route ${route} ${state}`, 'data-of': state, href: link('messages', {state, route})}, `${stateWord(state)} ${number(counts[state])}`))));

function part(state, count) {
  const element = h('span', {class: `of-${state.toLowerCase()}`, title: `${stateWord(state)} ${number(count)}`});
  element.style.flexGrow = count;
  return element;
}
