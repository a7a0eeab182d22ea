// SPDX-License-Identifier: Apache-2.0
// Messages by id, business key, route, state, reason or time. The address says which.
import * as address from '../js/address.js';
import {actions} from '../js/actions.js';
import {get, query} from '../js/api.js';
import {fill, h, table} from '../js/dom.js';
import {away, local, time} from '../js/format.js';
import {t} from '../js/language.js';
import {CHANGEABLE, changeMany, withoutEmpty} from '../js/many.js';
import {open} from '../js/message.js';
import {empty, panel, rowsInPlace} from '../js/panel.js';
import {worded} from '../js/reason.js';
import {mayWrite} from '../js/session.js';
import {mark} from '../js/states.js';

const PAGE = 25;
const form = document.getElementById('search');
const parked = document.getElementById('parked');
const filters = form.elements;
const FIELDS = ['by', 'text', 'route', 'state', 'reason', 'dueFrom', 'dueUntil', 'order'];
const PART = 'search';
form.reset(); // some browsers remember what was there before a reload
const USUAL = Object.fromEntries(FIELDS.map(name => [name, filters[name].value]));
const EVERY = 'any'; // in the address, for a choice that is empty and not the usual one
const OVERDUE = 'overdue';
const key = message => `${message.route}/${message.id}`;
const chosen = new Map();
let asked = null;

const list = panel('messages', 2, load, show, (shown, newest) => ({
  ...newest,
  items: rowsInPlace(shown.items, newest.items, key),
  still: shown.items.some((each, i) => newest.items[i] === undefined || key(each) !== key(newest.items[i]))
}));

/** Who gives a whole id or key gets it at once; parts of them have to be looked for. Further pages are of the key: an id has no more. */
async function load() {
  const {search, ...others} = filter();
  const {cursor} = address.parameters();
  const page = given => get(`messages?${query({...others, ...given, limit: PAGE, cursor})}`);
  if (search && !cursor) {
    const whole = await Promise.all([page({id: search}), page({businessKey: search})]);
    const items = [...new Map(whole.flatMap(each => each.items).map(each => [key(each), each])).values()];
    if (items.length > 0) {
      const next = whole[1].next;
      return {items, next, ...(next ? {by: 'businessKey'} : {})};
    }
  }
  return page({search});
}

/** As the interface takes it. */
function filter() {
  const state = filters.state.value;
  return {
    [filters.by.value]: filters.text.value.trim(),
    route: filters.route.value,
    ...(state === OVERDUE ? {overdue: true} : {state}),
    reason: filters.reason.value,
    dueFrom: instant(filters.dueFrom.value),
    dueUntil: instant(filters.dueUntil.value),
    order: filters.order.value
  };
}

const isTime = field => field.type === 'datetime-local';

/** An instant as the interface wants it, of what stands in a field for the browser's zone. */
const instant = text => text === '' ? '' : new Date(text).toISOString();

/** Fills the fields as the address says; what is no value of theirs is as usual. */
export function arrive() {
  const given = address.parameters();
  offer(given.route);
  for (const name of FIELDS) {
    const field = filters[name];
    const wanted = given[name] ?? USUAL[name];
    field.value = isTime(field) ? given[name] ? local(new Date(wanted)) : '' : wanted === EVERY && name === 'state' ? '' : wanted;
    if (field.value === '' && field.selectedIndex === -1) {
      field.value = USUAL[name];
    }
  }
  filters.reason.closest('label').hidden = filters.reason.value === ''; // it is chosen where the reasons are
  parked.hidden = !/PARKED|FAILED/.test(filters.state.value) || filters.reason.value !== '';
  const now = JSON.stringify([filter(), given.cursor]);
  if (now !== asked) {
    asked = now;
    chosen.clear();
    list.seconds = filters.by.value === PART && filters.text.value !== '' ? 30 : 2; // to look for parts is dear
    list.hush();
    list.refresh(true);
  }
}

/** As it is for the address. A time is an instant: who is sent the address may be in another zone. */
function inAddress(name) {
  const {value} = filters[name];
  return value === USUAL[name] ? '' : isTime(filters[name]) ? instant(value) : value || EVERY;
}

const inFields = () => Object.fromEntries(FIELDS.map(name => [name, inAddress(name)]));
const again = () => address.go(address.link('messages', inFields()));

/** What the list shows as the filter of a change; null if that is no filter, but a message or all there is. */
function filterOfMany() {
  const {search, state, overdue, order, ...rest} = filter();
  const states = (state ?? '').split(',').filter(each => CHANGEABLE.includes(each));
  if (search || !rest.route && !rest.businessKey || state && states.length === 0) {
    return null;
  }
  return withoutEmpty({...rest, states, ...(overdue ? {overdue} : {})});
}

form.addEventListener('submit', event => {
  event.preventDefault();
  if (filters.text.value.trim() !== '') {
    filters.state.value = ''; // who names one wants it whatever its state
  }
  again();
});
form.addEventListener('reset', () => setTimeout(again));
form.addEventListener('change', event => { if (event.target.matches('select:not([name=by]), [type=datetime-local]')) { again(); } });

/** @param by what the next page is asked by, if not as the fields say */
function show(body, {items, next, still, by}) {
  const pages = [
    address.parameters().cursor ? h('a', {class: 'button', href: address.link('messages', inFields()), 'data-key': 'first'}, t('messages.first')) : null,
    next ? h('a', {class: 'button', href: address.link('messages', {...inFields(), ...(by ? {by} : {}), cursor: next}), 'data-key': 'next'}, t(items.length === 0 ? 'panel.goOn' : 'messages.next')) : null];
  if (items.length === 0) {
    const overdue = filters.state.value === OVERDUE;
    const searched = ['text', ...(overdue ? [] : ['route']), 'reason', 'dueFrom', 'dueUntil'].some(name => filters[name].value.trim() !== '');
    fill(body, next ? empty(t('panel.nothingSoFar'), t('panel.nothingSoFarAdvice')) : address.parameters().cursor ? empty(t('messages.noMore')) : searched ? empty(t('messages.notFound'), t('messages.notFoundAdvice'))
      : overdue ? empty(t('messages.noneOverdue')) : empty(t('messages.empty'), t('messages.emptyAdvice')),
      h('div', {class: 'more'}, pages));
    return;
  }
  const names = ['id', 'state', 'due', 'route', 'businessKey', 'target', ...(items.some(each => each.reason) ? ['reason'] : []), ...(mayWrite() ? ['do'] : [])];
  fill(body,
    mayWrite() && items.length > 0 ? picked() : null,
    h('div', {class: 'cards'}, table(t('messages.title'), names.map(name => ({title: t(`message.${name}`), ...HEADS[name]?.(items)})),
      items.map(message => ({cells: names.map(name => CELLS[name](message)), class: [message.gone ? 'gone' : '', message.overdue ? 'overdue' : ''].join(' ').trim()})))),
    h('div', {class: 'more'},
      still ? h('strong', {}, t('messages.still')) : null,
      h('span', {}, t(next ? 'messages.shownMore' : 'messages.shown', {count: items.length})),
      pages,
      mayWrite() ? all() : null));
}

const HEADS = {
  id: items => mayWrite() ? {head: h('label', {class: 'choice'}, h('input', {type: 'checkbox', 'data-key': 'all', 'aria-label': t('messages.chooseAll'), checked: items.every(each => chosen.has(key(each))),
    onchange: event => choose(items, event.target.checked)}), t('message.id'))} : {},
  due: () => {
    const last = filters.order.value === 'desc';
    return {sort: last ? 'descending' : 'ascending', head: h('a', {'data-key': 'order', href: address.link('messages', {...inFields(), order: last ? '' : 'desc'})}, `${t('message.due')} ${last ? '▼' : '▲'}`)};
  }
};

function choose(messages, on) {
  messages.forEach(each => on ? chosen.set(key(each), {route: each.route, id: each.id}) : chosen.delete(key(each)));
  list.repaint();
}

/** What can be done with those that are chosen, on whichever page they are. */
function picked() {
  const change = kind => changeMany({messages: [...chosen.values()]}, kind).then(() => {
    chosen.clear();
    list.refresh(true);
  });
  return h('div', {class: 'picked', role: 'group', 'aria-label': t('messages.chosen', {count: chosen.size}), hidden: chosen.size === 0}, h('strong', {}, t('messages.chosen', {count: chosen.size})),
    ['retry', 'reschedule', 'by', 'cancel'].map(kind => h('button', {type: 'button', class: kind === 'cancel' ? 'grave' : null, 'data-key': `picked ${kind}`, 'data-picked': kind, onclick: () => change(kind)}, t(`many.${kind}`))),
    h('button', {type: 'button', class: 'quiet', 'data-key': 'picked none', onclick: () => choose([...chosen.values()], false)}, t('messages.chooseNone')));
}

/** A change of all that the list would show, were it long enough. */
function all() {
  const many = filterOfMany();
  return many === null ? h('span', {}, t('many.needsFilter'))
    : h('button', {type: 'button', 'data-key': 'many', 'data-many': true, onclick: () => changeMany(many).then(() => list.refresh(true))}, t('many.open'));
}

const CELLS = {
  id: message => h('span', {class: 'choice'}, mayWrite() && CHANGEABLE.includes(message.state) ? h('input', {type: 'checkbox', 'data-key': `choose ${key(message)}`, 'data-choose': message.id, 'aria-label': t('messages.choose', {id: message.id}), checked: chosen.has(key(message)),
    onchange: event => choose([message], event.target.checked)}) : null,
  h('button', {type: 'button', class: 'link', 'data-key': key(message), onclick: () => open(message, () => list.refresh(true))}, message.id)),
  state: mark,
  due: message => h('span', {class: 'when'}, time(message.deliverAt), ' ', h('small', {}, away(message.deliverAt))),
  route: message => h('a', {href: address.link('routes', {}, message.route)}, message.route),
  businessKey: message => message.businessKey ?? '–',
  target: message => `${message.exchange || t('message.defaultExchange')} → ${message.routingKey}`,
  reason: message => h('span', {class: 'reason'}, message.reason ? worded(message.reason) : '–'),
  do: message => h('span', {class: 'does'}, actions(message.state).map(action =>
    h('button', {type: 'button', class: action.grave ? 'grave' : null, 'data-key': `${action.name} ${key(message)}`, 'data-do': action.name, 'aria-label': `${t(`action.${action.name}`)} ${message.id}`,
      onclick: () => act(action, message)}, t(`do.${action.name}`))))
};

async function act(action, message) {
  const result = await action.run(message);
  if (result !== null) {
    list.say(result.good, `${message.id}: ${result.words}`);
    list.refresh(true);
  }
}

function offer(route) {
  if (route && ![...filters.route.options].some(option => option.value === route)) {
    filters.route.append(h('option', {value: route}, route));
  }
}

get('routes').then(({routes}) => routes.forEach(({name}) => offer(name)), () => {});
