// SPDX-License-Identifier: Apache-2.0
// The numbers at the top, with every event.
import {fill, find, h} from '../js/dom.js';
import {millis, number, span, time} from '../js/format.js';
import {onLanguage, t} from '../js/language.js';

const place = document.getElementById('tiles');
let last = null;
let unroutable = null;

/** The broker is asked for it less often than the server for its status. */
export function showUnroutable(count) {
  unroutable = count;
  show(last);
}

export function show(status) {
  last = status;
  const counts = status.countedAt === null ? {} : status.counts;
  const {loader} = status;
  const parked = counts.PARKED === undefined ? counts.PARKED : counts.PARKED + (status.parkedCallbacks ?? 0);
  fill(place, [
    tile('pending', number(counts.PENDING), t('tile.pendingAbout')),
    tile('held', number(counts.HELD), t('tile.heldAbout')),
    tile('parked', there('parked', parked), t('tile.parkedAbout'), parked > 0 ? 'bad' : ''),
    tile('failed', there('failed', counts.FAILED), t('tile.failedAbout'), counts.FAILED > 0 ? 'fair' : ''),
    tile('unroutable', there('unroutable', unroutable, '#broker'), t('tile.unroutableAbout'), unroutable > 0 ? 'bad' : ''),
    tile('late', status.last ? millis(status.last.latenessP99Ms) : '–', t('tile.lateAbout')),
    tile('lag', span(status.overdue?.oldestSeconds), t('tile.lagAbout'), status.overdue?.oldestSeconds > 60 ? 'bad' : ''),
    tile('loaders', number(loader.alive), loader.nextRun ? h('span', {}, t('tile.nextRun'), ' ', time(loader.nextRun)) : '', loader.alive === 0 ? 'bad' : '')
  ]);
  find('#versions').textContent = status.store ? t('page.versions', {broker: status.broker.version, store: status.store.what}) : '';
}

/** Leads to what it counts. */
const there = (name, count, where = '#parked') => count > 0 ? h('a', {href: where, 'data-key': name}, number(count)) : number(count);

const tile = (name, value, about, grade = '') => h('div', {class: `tile ${grade}`, 'data-tile': name},
  h('dt', {}, t(`tile.${name}`)), h('dd', {class: 'value'}, value), h('dd', {class: 'about'}, about));

/** Empty ones until the first event, so that nothing jumps. */
const blank = () => show({countedAt: null, last: null, loader: {}});

onLanguage(() => show(last));
blank();
