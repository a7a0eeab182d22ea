// SPDX-License-Identifier: Apache-2.0
// What was given up, and why; another try for all of a kind.
import {get} from '../js/api.js';
import {fill, find, h, table} from '../js/dom.js';
import {clock, number} from '../js/format.js';
import {t} from '../js/language.js';
import {changeMany} from '../js/many.js';
import {empty, panel, rowsInPlace} from '../js/panel.js';
import {mayWrite} from '../js/session.js';
import {mark} from '../js/states.js';
import {search} from './messages.js';

const SHOWN = 6;

const key = group => [group.route, group.state, group.reason].join('/');

const parked = panel('parked', 6, () => get('parked'), show, (shown, newest) => ({groups: rowsInPlace(shown.groups, newest.groups, key)}));

function show(body, {groups}) {
  if (groups.length === 0) {
    fill(body, empty(t('parked.empty'), t('parked.emptyAdvice')));
    return;
  }
  const columns = [{title: t('parked.reason')}, {title: t('message.state')}, {title: t('message.route')},
    {title: t('parked.count'), number: true}, {title: t('parked.due')}, {title: t('parked.do')}];
  const rows = some => h('div', {class: 'cards'}, table(t('parked.title'), columns, some.map(group => ({cells: row(group), gone: group.gone}))));
  const rest = groups.slice(SHOWN);
  const open = find('details', body)?.open;
  fill(body, rows(groups.slice(0, SHOWN)),
    rest.length > 0 ? h('details', {open}, h('summary', {'data-key': 'reasons'}, t('parked.more', {count: number(rest.length)})), rows(rest)) : null);
}

const row = group => [
  h('span', {class: 'reason'}, group.reason ?? t('parked.noReason')),
  mark(group.state),
  group.route,
  number(group.count),
  group.earliest === group.latest ? clock(group.earliest, true) : t('parked.between', {earliest: clock(group.earliest, true), latest: clock(group.latest, true)}),
  h('span', {class: 'buttons'},
    h('button', {type: 'button', 'data-key': `show ${key(group)}`, onclick: () => search({state: group.state, route: group.route, reason: group.reason ?? ''})}, t('parked.show')),
    mayWrite() ? h('button', {type: 'button', 'data-key': `release ${key(group)}`, 'data-release': group.route,
      onclick: () => changeMany(group.reason === null ? {route: group.route, states: [group.state]} : {route: group.route, reason: group.reason, states: [group.state]}, 're-release').then(() => parked.refresh(true))},
    t('parked.release')) : null)
];
