// SPDX-License-Identifier: Apache-2.0
// The numbers at the top, with every event. What there is to look at leads there.
import {link} from '../js/address.js';
import {fill, h} from '../js/dom.js';
import {clock, millis, number, span, time} from '../js/format.js';
import {onLanguage, t} from '../js/language.js';
import {away} from '../js/notices.js';
import {seesAll} from '../js/session.js';
import {late} from '../js/states.js';

const STALE = 30_000;
const place = document.getElementById('tiles');
const stamp = document.getElementById('stamp');
const NOTHING = {countedAt: null, last: null, loader: {}}; // until the first event, so that nothing jumps
let last = NOTHING;

export function show(status) {
  last = status?.store ? status : last;
  const counts = last.countedAt === null ? {} : last.counts;
  const {loader, overdue} = last;
  const unroutable = seesAll() ? last.warnings?.find(each => each.code === 'unroutable')?.params.count ?? (last === NOTHING ? null : 0) : null;
  const parked = counts.PARKED === undefined ? undefined : counts.PARKED + (last.parkedCallbacks ?? 0);
  fill(place,
    tile('overdue', there('overdue', overdue?.count, link('messages', {state: 'overdue'})),
      overdue?.oldestSeconds ? t('tile.overdueOldest', {span: span(Math.floor(overdue.oldestSeconds))}) : t('tile.overdueAbout'), late(overdue) ? 'bad' : ''),
    tile('pending', there('pending', counts.PENDING, link('messages', {state: 'PENDING'})), t('tile.pendingAbout')),
    tile('held', there('held', counts.HELD, link('messages', {state: 'HELD'})), t('tile.heldAbout')),
    tile('parked', there('parked', parked, link('messages', {state: 'PARKED,FAILED'})), t('tile.parkedAbout'), parked > 0 ? 'bad' : ''),
    tile('failed', there('failed', counts.FAILED, link('messages', {state: 'PARKED,FAILED'})), t('tile.failedAbout'), counts.FAILED > 0 ? 'fair' : ''),
    tile('unroutable', there('unroutable', unroutable, link('broker')), t('tile.unroutableAbout'), unroutable > 0 ? 'bad' : ''),
    tile('late', last.last ? millis(last.last.latenessP99Ms) : '–', t('tile.lateAbout')),
    tile('loaders', number(loader.alive), loader.nextRun ? h('span', {}, t('tile.nextRun'), ' ', time(loader.nextRun)) : '', loader.alive === 0 ? 'bad' : ''));
  stamp.textContent = last.countedAt !== null && (new Date(last.at) - new Date(last.countedAt) > STALE || away(last.store)) ? t('panel.asOf', {time: clock(last.countedAt, true)}) : '';
}

/** Leads to what it counts. */
const there = (name, count, where) => count > 0 ? h('a', {href: where, 'data-key': name}, number(count)) : number(count);

const tile = (name, value, about, grade = '') => h('div', {class: `tile ${grade}`, 'data-tile': name},
  h('dt', {}, t(`tile.${name}`)), h('dd', {class: 'value'}, value), h('dd', {class: 'about'}, about));

onLanguage(() => show(last));
