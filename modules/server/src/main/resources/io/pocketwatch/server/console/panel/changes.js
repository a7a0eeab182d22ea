// SPDX-License-Identifier: Apache-2.0
// Who has changed what by hand, and when.
import {link, parameters} from '../js/address.js';
import {get, query} from '../js/api.js';
import {fill, h, table} from '../js/dom.js';
import {away, number, time} from '../js/format.js';
import {has, t} from '../js/language.js';
import {empty, panel} from '../js/panel.js';

let cursor = null;

const list = panel('changes', 6, () => get(`changes?${query({limit: 50, cursor: parameters().cursor})}`), (body, {items, next}) => {
  if (items.length === 0) {
    fill(body, empty(t('changes.empty'), t('changes.emptyAdvice')));
    return;
  }
  const columns = [...['at', 'by', 'what', 'route', 'subject'].map(name => ({title: t(`changes.${name}`)})), {title: t('changes.done'), number: true}, {title: t('changes.refused'), number: true}];
  fill(body,
    h('div', {class: 'cards'}, table(t('changes.title'), columns, items.map(each => [
      h('span', {class: 'when'}, time(each.at), ' ', h('small', {}, away(each.at))), each.by, has(`change.${each.what}`) ? t(`change.${each.what}`) : each.what,
      each.route ? h('a', {href: link('routes', {}, each.route)}, each.route) : '–', each.subject ?? '–', number(each.done), number(each.refused)]))),
    h('div', {class: 'more'},
      parameters().cursor ? h('a', {class: 'button', href: link('changes'), 'data-key': 'first'}, t('messages.first')) : null,
      next ? h('a', {class: 'button', href: link('changes', {cursor: next}), 'data-key': 'next'}, t('messages.next')) : null));
});

export function arrive() {
  if (parameters().cursor !== cursor) {
    ({cursor} = parameters());
    list.refresh(true);
  }
}
