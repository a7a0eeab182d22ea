// SPDX-License-Identifier: Apache-2.0
// What came due for a target that was gone: each message, and another try for all of them.
import {get} from '../js/api.js';
import {fill, h} from '../js/dom.js';
import {number} from '../js/format.js';
import {changeDeadLetters, members} from '../js/dead-letters.js';
import {t} from '../js/language.js';
import {empty, panel} from '../js/panel.js';
import {mayWrite} from '../js/session.js';

const page = panel('unroutable', 10, () => get('unroutable'), (body, answer) => {
  const count = number(answer.count ?? answer.messages.length);
  const button = what => h('button', {type: 'button', class: what === 'delete' ? 'grave' : null, 'data-key': `${what}-unroutable`, onclick: () => changeDeadLetters('unroutable', what, `holds.${what}`, {count}, page)}, t(`holds.${what}`));
  fill(body, answer.messages.length === 0 ? empty(t('holds.noUnroutable')) : [
    h('div', {class: 'flag bad'}, h('p', {}, t('holds.unroutable', {count})), mayWrite() ? h('div', {class: 'buttons'}, button('send'), button('delete')) : null),
    members(answer)]);
});
