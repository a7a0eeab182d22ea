// SPDX-License-Identifier: Apache-2.0
// What is called for which route, and how it is answered.
import {link} from '../js/address.js';
import {get} from '../js/api.js';
import {fill, h, table} from '../js/dom.js';
import {away, number} from '../js/format.js';
import {t} from '../js/language.js';
import {empty, panel} from '../js/panel.js';
import {worded} from '../js/reason.js';

panel('callbacks', 4, () => get('callbacks'), (body, {callbacks}) => {
  if (callbacks.length === 0) {
    fill(body, empty(t('callbacks.empty'), t('callbacks.emptyAdvice')));
    return;
  }
  const columns = [{title: t('message.route')}, {title: t('callbacks.url')}, {title: t('callbacks.called'), number: true},
    {title: t('callbacks.retried'), number: true}, {title: t('callbacks.parked'), number: true},
    {title: t('callbacks.inFlight'), number: true}, {title: t('callbacks.last')}];
  fill(body, h('div', {class: 'cards'}, table(t('callbacks.title'), columns, callbacks.map(each => [
    h('a', {href: link('routes', {}, each.route)}, each.route), h('code', {}, each.url), number(each.called), number(each.retried), number(each.parked), number(each.inFlight), last(each)
  ]))));
});

function last({lastAt, lastStatus, lastProblem}) {
  if (lastAt === null) {
    return '–';
  }
  const answer = lastStatus === null ? t('callbacks.noAnswer') : t('callbacks.status', {status: lastStatus});
  return h('span', {}, h('span', {class: `mark ${lastProblem === null ? 'settled' : 'failed'}`}, answer), ' ', h('small', {}, away(lastAt)),
    lastStatus === null ? h('span', {class: 'reason'}, ' ', worded(lastProblem)) : null);
}
