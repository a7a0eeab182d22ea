// SPDX-License-Identifier: Apache-2.0
// A card per route: how many of its messages are in which state. Each of these leads to the list.
import {link} from '../js/address.js';
import {get} from '../js/api.js';
import {fill, h} from '../js/dom.js';
import {number} from '../js/format.js';
import {t} from '../js/language.js';
import {empty, panel} from '../js/panel.js';

const STATES = ['PARKED', 'FAILED', 'PENDING', 'HELD', 'SETTLED', 'CANCELLED'];
const SHOWN = 12;

panel('routes', 4, () => get('counts/states'), (body, {routes}) => {
  const cards = Object.entries(routes)
    .map(([route, counts]) => ({route, counts, all: STATES.reduce((sum, state) => sum + counts[state], 0)}))
    .filter(each => each.all > 0)
    .sort((a, b) => urgency(b) - urgency(a) || a.route.localeCompare(b.route));
  if (cards.length === 0) {
    fill(body, empty(t('routes.empty'), t('routes.emptyAdvice')));
    return;
  }
  const rest = cards.slice(SHOWN);
  const open = body.querySelector('details')?.open;
  fill(body, grid(cards.slice(0, SHOWN)),
    rest.length > 0 ? h('details', {open}, h('summary', {'data-key': 'routes'}, t('routes.more', {count: number(rest.length)})), grid(rest)) : null);
});

/** Where a person is needed comes first. */
const urgency = ({counts}) => counts.PARKED > 0 ? 2 : counts.FAILED > 0 ? 1 : 0;

const grid = cards => h('ul', {class: 'route-cards'}, cards.map(card));

const card = ({route, counts, all}) => h('li', {'data-route': route},
  h('h3', {}, h('a', {href: link('routes', {}, route), 'data-key': `route ${route}`}, route),
    ' ', h('small', {}, number(all))),
  h('div', {class: 'bar', 'aria-hidden': 'true'}, STATES.filter(state => counts[state] > 0).map(state => part(state, counts[state]))),
  h('p', {class: 'of'}, STATES.filter(state => counts[state] > 0).map(state =>
    h('a', {class: `of-${state.toLowerCase()}`, 'data-key': `route ${route} ${state}`, 'data-of': state, href: link('messages', {state, route})}, `${t(`state.${state}`)} ${number(counts[state])}`))));

function part(state, count) {
  const element = h('span', {class: `of-${state.toLowerCase()}`, title: `${t(`state.${state}`)} ${number(count)}`});
  element.style.flexGrow = count;
  return element;
}
