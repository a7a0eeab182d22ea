// SPDX-License-Identifier: Apache-2.0
// What recurs: its rule in words, when it runs and ran. And what any rule would do.
import {get, post, said} from '../js/api.js';
import {fill, find, h, table} from '../js/dom.js';
import {away, full, time, zone} from '../js/format.js';
import {onLanguage, t} from '../js/language.js';
import {empty, panel, rowsInPlace} from '../js/panel.js';
import {occurrences, open, stateMark, words} from '../js/schedule.js';

const form = document.getElementById('preview');
const seen = find('.preview', form.parentElement);
let previewed = null;

const list = panel('schedules', 4, () => get('schedules'), show, (shown, newest) => ({schedules: rowsInPlace(shown.schedules, newest.schedules, each => each.name)}));

function show(body, {schedules}) {
  if (schedules.length === 0) {
    fill(body, empty(t('schedules.empty'), t('schedules.emptyAdvice')));
    return;
  }
  const columns = ['name', 'state', 'words', 'next', 'last'].map(name => ({title: t(`schedules.${name}`)}));
  fill(body, h('div', {class: 'cards'}, table(t('schedules.title'), columns, schedules.map(each => ({cells: row(each), class: each.gone ? 'gone' : ''})))));
}

const row = schedule => [
  h('button', {type: 'button', class: 'link', 'data-key': `schedule ${schedule.name}`, onclick: () => open(schedule, () => list.refresh(true))}, schedule.name),
  h('span', {}, stateMark(schedule.state), schedule.late ? h('strong', {class: 'bad'}, ' ', t('schedules.lateShort')) : null, schedule.note ? h('small', {class: 'note'}, ' ', schedule.note) : null),
  words(schedule),
  schedule.nextAt ? h('span', {class: 'when'}, time(schedule.nextAt), ' ', h('small', {}, away(schedule.nextAt))) : '–',
  schedule.lastAt ? h('span', {class: 'when'}, time(schedule.lastAt), ' ', h('small', {}, away(schedule.lastAt))) : '–'
];

form.elements.zone.value = Intl.DateTimeFormat().resolvedOptions().timeZone ?? zone();

form.addEventListener('submit', async event => {
  event.preventDefault();
  const {kind, rule, zone: where} = form.elements;
  try {
    previewed = await post('schedules/preview', {[kind.value]: rule.value.trim(), ...(where.value.trim() ? {zone: where.value.trim()} : {})});
    showPreview();
  } catch (problem) {
    previewed = null;
    fill(seen, h('p', {class: 'outcome bad', role: 'alert'}, problem.detail || said(problem)));
  }
});

function showPreview() {
  if (previewed !== null) {
    fill(seen, h('p', {class: 'strong'}, words(previewed)), previewed.next.length === 0 ? h('p', {}, t('schedules.never'))
      : occurrences(['local', 'here', 'in'], previewed.next, each => [each.local, full(each.nominal), away(each.nominal)]));
  }
}

onLanguage(showPreview);
