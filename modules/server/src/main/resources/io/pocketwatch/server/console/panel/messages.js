// SPDX-License-Identifier: Apache-2.0
// Messages by id, business key, route or state.
import {get, query} from '../js/api.js';
import {fill, h, table} from '../js/dom.js';
import {away, time} from '../js/format.js';
import {t} from '../js/language.js';
import {open} from '../js/message.js';
import {empty, panel} from '../js/panel.js';
import {mark} from '../js/states.js';

const PAGE = 12;
const MOST = 1000;
const form = document.getElementById('search');
const filters = form.elements;
let limit = PAGE;

const list = panel('messages', 2, () => get(`messages?${query({
  [filters.by.value]: filters.text.value.trim(),
  route: filters.route.value,
  state: filters.state.value,
  limit
})}`), show);

/** Shows what is in this state, on this route. */
export function search({state = '', route = ''}) {
  form.reset();
  offer(route);
  filters.state.value = state;
  filters.route.value = route;
  again();
  document.getElementById('messages').scrollIntoView();
  filters.text.focus({preventScroll: true});
}

export const refresh = () => list.refresh();

function again() {
  limit = PAGE;
  list.refresh(true);
}

form.addEventListener('submit', event => {
  event.preventDefault();
  if (filters.text.value.trim() !== '') {
    filters.state.value = ''; // who names one wants it whatever its state
  }
  again();
});
form.addEventListener('reset', () => setTimeout(again));
form.addEventListener('change', event => { if (event.target.tagName === 'SELECT') { again(); } });

function show(body, {items, next}) {
  if (items.length === 0) {
    const searched = filters.text.value.trim() !== '' || filters.route.value !== '';
    fill(body, searched ? empty(t('messages.notFound'), t('messages.notFoundAdvice')) : empty(t('messages.empty'), t('messages.emptyAdvice')));
    return;
  }
  const columns = ['id', 'state', 'due', 'route', 'businessKey', 'target'].map(name => ({title: t(`message.${name}`)}));
  fill(body,
    h('div', {class: 'cards'}, table(t('messages.title'), columns, items.map(row))),
    h('p', {class: 'more'},
      h('span', {}, t(next ? 'messages.shownMore' : 'messages.shown', {count: items.length})), ' ',
      next && limit < MOST ? h('button', {type: 'button', class: 'quiet', 'data-key': 'more', onclick: more}, t('messages.more')) : null));
}

const row = message => [
  h('button', {type: 'button', class: 'link', 'data-key': `${message.route}/${message.id}`, onclick: () => open(message, refresh)}, message.id),
  mark(message.state),
  h('span', {class: 'when'}, time(message.deliverAt), ' ', h('small', {}, away(message.deliverAt))),
  message.route,
  message.businessKey ?? '–',
  `${message.exchange || t('message.defaultExchange')} → ${message.routingKey}`
];

function more() {
  limit = Math.min(MOST, limit * 4);
  list.refresh();
}

function offer(route) {
  if (route && ![...filters.route.options].some(option => option.value === route)) {
    filters.route.append(h('option', {value: route}, route));
  }
}

get('routes').then(({routes}) => routes.forEach(({name}) => offer(name)), () => {});
