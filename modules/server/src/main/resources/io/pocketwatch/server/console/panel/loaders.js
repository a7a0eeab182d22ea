// SPDX-License-Identifier: Apache-2.0
// Who hands off, when last, and how far.
import {get} from '../js/api.js';
import {fill, h, table} from '../js/dom.js';
import {away, number, span, time} from '../js/format.js';
import {t} from '../js/language.js';
import {empty, panel} from '../js/panel.js';

panel('loaders', 6, () => get('loaders'), (body, {now, loaders, own}) => {
  const columns = [{title: t('loaders.owner')}, {title: t('loaders.sign')}, {title: t('loaders.lastRun')},
    {title: t('loaders.horizon')}, {title: t('loaders.lease')}, {title: t('loaders.loaded'), number: true}];
  const clock = new Date(now).getTime();
  fill(body,
    loaders.length === 0 ? empty(t('loaders.empty'), t('loaders.emptyAdvice'))
      : h('div', {class: 'cards'}, table(t('loaders.title'), columns, loaders.map(each => [
        h('span', {class: 'owner'}, each.owner, ' ', each.own ? h('small', {}, t('loaders.own')) : null),
        h('span', {}, h('span', {class: `mark ${each.alive ? 'settled' : 'parked'}`}, t(each.alive ? 'loaders.alive' : 'loaders.silent')), ' ', h('small', {}, away(each.at, clock))),
        time(each.lastRun),
        time(each.horizon),
        span(each.leaseSeconds),
        number(each.loaded)
      ]))),
    own ? ownFacts(own) : null);
});

function ownFacts(own) {
  const lines = {
    running: t(own.running ? 'loaders.yes' : 'loaders.no'),
    lastRun: time(own.lastRun),
    nextRun: time(own.nextRun),
    loadedUpTo: time(own.loadedUpTo),
    sweep: t('loaders.every', {span: span(own.sweepSeconds)})
  };
  return h('div', {},
    h('h3', {}, t('loaders.ownTitle')),
    own.lastError ? h('p', {class: 'flag bad'}, t('loaders.lastError', {error: own.lastError})) : null,
    h('dl', {class: 'facts'}, Object.entries(lines).map(([name, value]) => h('div', {}, h('dt', {}, t(`loaders.${name}`)), h('dd', {}, value)))));
}
