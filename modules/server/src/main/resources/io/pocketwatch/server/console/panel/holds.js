// SPDX-License-Identifier: Apache-2.0
// What the broker holds, and in which queues.
import {get} from '../js/api.js';
import {fill, h, table} from '../js/dom.js';
import {millis, number} from '../js/format.js';
import {t} from '../js/language.js';
import {empty, panel} from '../js/panel.js';

const SHOWN = 12;

panel('broker', 10, () => get('hold-queues'), (body, answer) => {
  const strategies = Object.entries(answer.strategies);
  const queues = answer.queues.toSorted((a, b) => (b.messages ?? Infinity) - (a.messages ?? Infinity));
  fill(body,
    answer.broken?.length ? h('p', {class: 'flag bad'}, t('holds.broken', {queues: answer.broken.join(', ')})) : null,
    h('dl', {class: 'shares'}, strategies.map(([name, count]) => share(name, count, answer.held))),
    queues.length === 0 ? empty(t('holds.empty'), t('holds.emptyAdvice')) : [
      rows(queues.slice(0, SHOWN)),
      queues.length > SHOWN ? h('details', {}, h('summary', {'data-key': 'queues'}, t('holds.all', {count: number(queues.length - SHOWN)})), rows(queues.slice(SHOWN))) : null
    ],
    h('p', {class: 'about'}, t('holds.others', {count: number(answer.empty ?? 0)}), ' ',
      answer.unroutable ? h('strong', {class: 'bad'}, t('holds.unroutable', {count: number(answer.unroutable)})) : t('holds.noUnroutable')));
});

const share = (name, count, all) => h('div', {},
  h('dt', {}, t(`strategy.${name}`)),
  h('dd', {}, h('strong', {}, number(count)), ' ', h('meter', {min: 0, max: Math.max(1, all), value: count, 'aria-label': t(`strategy.${name}`)})));

const rows = queues => table(t('holds.title'),
  [{title: t('holds.queue')}, {title: t('holds.ttl'), number: true}, {title: t('holds.messages'), number: true}],
  queues.map(queue => [h('code', {}, queue.name), millis(queue.ttlMs), queue.messages === null ? t('holds.missing') : number(queue.messages)]));
