// SPDX-License-Identifier: Apache-2.0
// What the broker holds, and in which queues.
import {get} from '../js/api.js';
import {fill, h, table} from '../js/dom.js';
import {millis, number} from '../js/format.js';
import {t} from '../js/language.js';
import {empty, panel} from '../js/panel.js';

const SHOWN = 8;

panel('holds', 10, () => get('hold-queues'), (body, answer) => {
  const strategies = Object.entries(answer.strategies);
  const queues = answer.queues.toSorted((a, b) => (b.messages ?? Infinity) - (a.messages ?? Infinity));
  fill(body,
    answer.broken?.length ? h('p', {class: 'flag bad'}, t('holds.broken', {queues: answer.broken.join(', ')})) : null,
    answer.offered ? offered(answer.offered) : null,
    answer.deliveryTime ? h('p', {class: answer.deliveryTime.used ? 'about' : 'flag'}, answer.deliveryTime.used ? t('holds.byTime') : t('holds.notByTime', {why: answer.deliveryTime.why})) : null,
    h('dl', {class: 'shares'}, strategies.map(([name, count]) => share(name, count, strategies.length > 1 ? answer.held : null))),
    queues.length === 0 ? empty(t('holds.empty'), t('holds.emptyAdvice')) : [
      rows(queues.slice(0, SHOWN)),
      queues.length > SHOWN ? h('details', {}, h('summary', {'data-key': 'queues'}, t('holds.all', {count: number(queues.length - SHOWN)})), rows(queues.slice(SHOWN))) : null
    ],
    h('p', {class: 'about'}, t('holds.others', {count: number(answer.empty ?? 0)})));
});

/** On a broker alone nobody knows what a route would use, but what is set up there can be seen. */
const offered = strategies => h('div', {},
  h('h3', {}, t('holds.offered')),
  h('ul', {class: 'offered'}, Object.entries(strategies).map(([name, there]) => h('li', {'data-offered': name},
    h('span', {class: `mark ${there ? 'settled' : ''}`}, t(there ? 'holds.there' : 'holds.notThere')), ' ', t(`strategy.${name}`)))));

/** @param all of which it is a part; null if there is no other part */
const share = (name, count, all) => h('div', {},
  h('dt', {}, t(`strategy.${name}`)),
  h('dd', {}, h('strong', {}, number(count)), ' ', all === null ? null : h('meter', {min: 0, max: Math.max(1, all), value: count, 'aria-label': t(`strategy.${name}`)})));

const rows = queues => table(t('holds.title'),
  [{title: t('holds.ttl')}, {title: t('holds.messages'), number: true}, {title: t('holds.queue')}],
  queues.map(queue => [queue.ttlMs === null ? t('holds.ownTime') : millis(queue.ttlMs), queue.messages === null ? t('holds.missing') : number(queue.messages), h('code', {class: 'inner'}, queue.name)]));
