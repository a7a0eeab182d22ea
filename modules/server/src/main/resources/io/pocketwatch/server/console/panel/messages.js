// SPDX-License-Identifier: Apache-2.0
// Messages by id, business key, route, state, reason or time. The address of the page says which.
import * as address from '../js/address.js';
import {get, query} from '../js/api.js';
import {fill, h, table} from '../js/dom.js';
import {away, local, time} from '../js/format.js';
import {t} from '../js/language.js';
import {CHANGEABLE, changeMany, withoutEmpty} from '../js/many.js';
import {open, openNamed} from '../js/message.js';
import {empty, panel, rowsInPlace} from '../js/panel.js';
import {mayWrite} from '../js/session.js';
import {mark} from '../js/states.js';

const PAGE = 12;
const MOST = 1000;
const form = document.getElementById('search');
const filters = form.elements;
const FIELDS = ['by', 'text', 'route', 'state', 'reason', 'dueFrom', 'dueUntil'];
form.reset(); // some browsers remember what was there before a reload
const USUAL = Object.fromEntries(FIELDS.map(name => [name, filters[name].value]));
const EVERY = 'any'; // in the address, for a choice that is empty and not the usual one
const key = message => `${message.route}/${message.id}`;
let limit = PAGE;

const list = panel('messages', 2, () => get(`messages?${query({
  [filters.by.value]: filters.text.value.trim(),
  route: filters.route.value,
  state: filters.state.value,
  reason: filters.reason.value,
  dueFrom: instant(filters.dueFrom.value),
  dueUntil: instant(filters.dueUntil.value),
  limit
})}`), show, (shown, newest) => ({
  ...newest,
  items: rowsInPlace(shown.items, newest.items, key),
  still: shown.items.some((each, i) => newest.items[i] === undefined || key(each) !== key(newest.items[i]))
}));

/** Shows what is in this state, on this route, with this reason. */
export function search({state = '', route = '', reason = ''}) {
  form.reset();
  take({state, route, reason});
  again();
  document.getElementById('messages').scrollIntoView();
  filters.text.focus({preventScroll: true});
}

export const refresh = () => list.refresh();

const isTime = field => field.type === 'datetime-local';

/** An instant as the interface wants it, of what stands in a field for the browser's zone. */
const instant = text => text === '' ? '' : new Date(text).toISOString();

/** Puts these into the fields; what is no value of theirs is left out. */
function take(values) {
  offer(values.route);
  for (const name of FIELDS.filter(each => each in values)) {
    const field = filters[name];
    const before = field.value;
    const wanted = isTime(field) ? local(new Date(values[name])) : values[name] === EVERY && name === 'state' ? '' : values[name];
    field.value = wanted;
    if (isTime(field) ? field.value === '' : field.value !== wanted) {
      field.value = before;
    }
  }
  showReason();
}

/** It is chosen below, under what is parked, and shown here only if it was. */
function showReason() {
  filters.reason.closest('label').hidden = filters.reason.value === '';
}

/** Empty where it is as usual. A time is an instant: who is sent the address may be in another zone. */
function inAddress(name) {
  const {value} = filters[name];
  return value === USUAL[name] ? '' : isTime(filters[name]) ? instant(value) : value || EVERY;
}

function again() {
  limit = PAGE;
  showReason();
  address.put({...Object.fromEntries(FIELDS.map(name => [name, inAddress(name)])), shown: ''});
  list.refresh(true);
}

/** What the list shows as the filter of a change; null if that is no filter, but a message or all there is. */
function filterOfMany() {
  const text = filters.text.value.trim();
  const route = filters.route.value;
  const states = filters.state.value.split(',').filter(state => CHANGEABLE.includes(state));
  const byKey = text !== '' && filters.by.value === 'businessKey';
  if (text !== '' && !byKey || !byKey && route === '' || filters.state.value !== '' && states.length === 0) {
    return null;
  }
  return withoutEmpty({
    route, businessKey: byKey ? text : '', reason: filters.reason.value, states,
    dueFrom: instant(filters.dueFrom.value), dueUntil: instant(filters.dueUntil.value)
  });
}

form.addEventListener('submit', event => {
  event.preventDefault();
  if (filters.text.value.trim() !== '') {
    filters.state.value = ''; // who names one wants it whatever its state
  }
  again();
});
form.addEventListener('reset', () => setTimeout(again));
form.addEventListener('change', event => { if (event.target.matches('select, [type=datetime-local]')) { again(); } });

function show(body, {items, next, still}) {
  if (items.length === 0) {
    const searched = ['text', 'route', 'reason', 'dueFrom', 'dueUntil'].some(name => filters[name].value.trim() !== '');
    fill(body, searched ? empty(t('messages.notFound'), t('messages.notFoundAdvice')) : empty(t('messages.empty'), t('messages.emptyAdvice')));
    return;
  }
  const names = ['id', 'state', 'due', 'route', 'businessKey', 'target'];
  const reasons = items.some(each => each.reason);
  const columns = [...names, ...(reasons ? ['reason'] : [])].map(name => ({title: t(`message.${name}`)}));
  fill(body,
    h('div', {class: 'cards'}, table(t('messages.title'), columns, items.map(message => ({cells: row(message, reasons), gone: message.gone})))),
    h('p', {class: 'more'},
      still ? h('strong', {}, t('messages.still'), ' ') : null,
      h('span', {}, t(next ? 'messages.shownMore' : 'messages.shown', {count: items.length})), ' ',
      next && limit < MOST ? h('button', {type: 'button', class: 'quiet', 'data-key': 'more', onclick: more}, t('messages.more')) : null, ' ',
      mayWrite() ? all() : null));
}

/** A change of all that the list would show, were it long enough. */
function all() {
  const filter = filterOfMany();
  return filter === null ? h('span', {}, t('many.needsFilter'))
    : h('button', {type: 'button', 'data-key': 'many', 'data-many': true, onclick: () => changeMany(filter).then(() => list.refresh(true))}, t('many.open'));
}

const row = (message, reasons) => [
  h('button', {type: 'button', class: 'link', 'data-key': key(message), onclick: () => open(message, refresh)}, message.id),
  mark(message.state),
  h('span', {class: 'when'}, time(message.deliverAt), ' ', h('small', {}, away(message.deliverAt))),
  message.route,
  message.businessKey ?? '–',
  `${message.exchange || t('message.defaultExchange')} → ${message.routingKey}`,
  ...(reasons ? [h('span', {class: 'reason'}, message.reason ?? '–')] : [])
];

function more() {
  limit = Math.min(MOST, limit * 4);
  address.put({shown: limit});
  list.refresh(true);
}

function offer(route) {
  if (route && ![...filters.route.options].some(option => option.value === route)) {
    filters.route.append(h('option', {value: route}, route));
  }
}

take(address.parameters());
limit = Math.min(MOST, Math.max(PAGE, Math.floor(Number(address.parameters().shown)) || PAGE));

export function begin() {
  get('routes').then(({routes}) => routes.forEach(({name}) => offer(name)), () => {});
  openNamed(refresh);
}
