// SPDX-License-Identifier: Apache-2.0
// Who has changed what by hand, and when.
import {link, parameters} from '../js/address.js';
import {get, query} from '../js/api.js';
import {fill, h, table} from '../js/dom.js';
import {away, number, time} from '../js/format.js';
import {has, t} from '../js/language.js';
import {empty, panel} from '../js/panel.js';

let before;

const key = ({what}) => what.replaceAll(' ', '-');

const list = panel('changes', 6, () => get(`changes?${query({limit: 50, before: parameters().before})}`), (body, {items, next}) => {
  const columns = [...['at', 'by', 'what', 'route', 'subject'].map(name => ({title: t(`changes.${name}`)})), {title: t('changes.done'), number: true}, {title: t('changes.refused'), number: true}];
  fill(body,
    items.length === 0 ? next ? empty(t('panel.nothingSoFar'), t('panel.nothingSoFarAdvice')) : parameters().before ? empty(t('messages.noMore')) : empty(t('changes.empty'), t('changes.emptyAdvice'))
      : h('div', {class: 'cards'}, table(t('changes.title'), columns, items.map(each => [
      h('span', {class: 'when'}, time(each.at), ' ', h('small', {}, away(each.at))), each.by, has(`change.${key(each)}`) ? t(`change.${key(each)}`) : each.what,
      each.route ? h('a', {href: link('routes', {}, each.route)}, each.route) : '–', each.subject ?? '–', number(each.done), number(each.refused)]))),
    h('div', {class: 'more'},
      parameters().before ? h('a', {class: 'button', href: link('changes'), 'data-key': 'first'}, t('messages.first')) : null,
      next ? h('a', {class: 'button', href: link('changes', {before: next}), 'data-key': 'next'}, t(items.length === 0 ? 'panel.goOn' : 'messages.next')) : null));
});

export function arrive() {
  if (parameters().before !== before) {
    ({before} = parameters());
    list.refresh(true);
  }
}
