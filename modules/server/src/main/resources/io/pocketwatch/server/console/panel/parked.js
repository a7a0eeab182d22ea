// SPDX-License-Identifier: Apache-2.0
// What was given up, and why; another try for all of a kind.
import {link} from '../js/address.js';
import {get} from '../js/api.js';
import {fill, find, h, table} from '../js/dom.js';
import {clock, number} from '../js/format.js';
import {changeDeadLetters, showParked} from '../js/dead-letters.js';
import {t} from '../js/language.js';
import {changeMany, withoutEmpty} from '../js/many.js';
import {empty, panel, rowsInPlace} from '../js/panel.js';
import {reasonOf} from '../js/reason.js';
import {mayWrite} from '../js/session.js';
import {mark} from '../js/states.js';

const SHOWN = 6;

const key = group => [group.route, group.state, group.reason, ...group.queue ? [group.queue] : []].join('/');

/** With those that have no row, which know no instants. */
const groups = async () => {
  const answer = await get('parked');
  const inQueue = queue => answer.callbacks.filter(each => each.queue === queue).reduce((sum, each) => sum + each.count, 0);
  return {groups: [...answer.callbacks.map(each => ({...each, state: 'PARKED', inQueue: inQueue(each.queue)})), ...answer.groups]};
};

const parked = panel('parked', 6, groups, show, (shown, newest) => ({groups: rowsInPlace(shown.groups, newest.groups, key)}));

function show(body, {groups}) {
  if (groups.length === 0) {
    fill(body, empty(t('parked.empty'), t('parked.emptyAdvice')));
    return;
  }
  const columns = [{title: t('parked.reason')}, {title: t('message.state')}, {title: t('message.route')},
    {title: t('parked.count'), number: true}, {title: t('parked.due')}, {title: t('parked.do')}];
  const rows = some => h('div', {class: 'cards'}, table(t('parked.title'), columns, some.map(group => ({cells: row(group), class: group.gone ? 'gone' : ''}))));
  const rest = groups.slice(SHOWN);
  const open = find('details', body)?.open;
  fill(body, rows(groups.slice(0, SHOWN)),
    rest.length > 0 ? h('details', {open}, h('summary', {'data-key': 'reasons'}, t('parked.more', {count: number(rest.length)})), rows(rest)) : null);
}

const row = group => [
  h('span', {class: 'reason'}, reasonOf(group)),
  mark(group.state),
  h('a', {href: link('routes', {}, group.route)}, group.route),
  number(group.count),
  group.queue ? t('parked.noRow') : group.earliest === group.latest ? clock(group.earliest, true) : t('parked.between', {earliest: clock(group.earliest, true), latest: clock(group.latest, true)}),
  group.gone ? null : group.queue ? ofQueue(group) : h('span', {class: 'buttons'},
    h('a', {class: 'button', href: link('messages', {state: group.state, route: group.route, reason: group.reason ?? ''}), 'data-key': `show ${key(group)}`}, t('parked.show')),
    mayWrite() && group.reason ? [all(group, 'retry', 'retry'), all(group, 'cancel', 'cancel')] : null)
];

/** A change of all of a group: they are counted before. Without a reason the filter would be the whole route's. */
const all = (group, change, name) => h('button', {type: 'button', class: change === 'cancel' ? 'grave' : null, 'data-key': `${name} ${key(group)}`, [`data-${name}`]: group.route,
  onclick: () => changeMany(withoutEmpty({route: group.route, reason: group.reason, states: [group.state]}), change).then(() => parked.refresh(true))}, t(`parked.${name}`));

/** All of a queue, whatever their reasons. */
const ofQueue = group => h('span', {class: 'buttons'},
  h('button', {type: 'button', 'data-key': `show ${key(group)}`, onclick: () => showParked(group.route)}, t('parked.show')),
  mayWrite() ? ['send', 'delete'].map(what => h('button', {type: 'button', class: what === 'delete' ? 'grave' : null, 'data-key': `${what} ${key(group)}`, [`data-${what}`]: group.route,
    onclick: () => changeDeadLetters(`parked/${encodeURIComponent(group.route)}`, what, `parked.${what}`, {route: group.route, queue: group.queue, count: number(group.inQueue)}, parked)}, t(`parked.${what}`))) : null);
