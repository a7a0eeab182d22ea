// SPDX-License-Identifier: Apache-2.0
// One schedule: what it does, when it runs and ran, and what can be done with it.
import * as address from './address.js';
import {get, path, post, query, said, saidOfChange} from './api.js';
import {confirm} from './ask.js';
import {fill, find, h, table} from './dom.js';
import {away, full, millis, number, zone} from './format.js';
import {current, onLanguage, t} from './language.js';
import {open as openMessage} from './message.js';
import {refreshPanels} from './panel.js';
import {mayWrite} from './session.js';
import {mark} from './states.js';

const NEXT = 10;
const PAST = 20;
const MARKS = {active: 'settled', paused: 'cancelled', orphaned: 'failed', ended: 'cancelled', failing: 'parked'};
const dialog = document.getElementById('schedule');
const sheet = find('.sheet', dialog);
let shown = null;
let runs = null;
let outcome = null;
let onChange = refreshPanels;
let looks = 0; // under way

export const stateMark = state => h('span', {class: `mark ${MARKS[state] ?? ''}`, 'data-schedule-state': state}, t(`scheduleState.${state}`));
/** Nothing of a definition that cannot be read any more. */
export const words = ({words: all}) => all?.[current()] ?? all?.en ?? '–';
export const instant = value => value ? h('time', {datetime: value}, `${full(value)} (${away(value)})`) : '–';

/** @param changed is called after every change */
export async function open(schedule, changed = refreshPanels) {
  shown = schedule;
  runs = null;
  outcome = null;
  onChange = changed;
  address.put({schedule: schedule.name});
  show();
  if (!dialog.open) {
    dialog.showModal();
  }
  await lookAgain();
}

/** Opens the schedule that the page's address names, and closes one that it does not. */
export async function arrive() {
  const {schedule: name} = address.parameters();
  if (!name) {
    dialog.close();
  } else if (!dialog.open || shown.name !== name) {
    try {
      await open(await get(path`schedules/${name}`));
    } catch {
      address.take('schedule');
    }
  }
}

/** A server that answers slowly is not asked twice. */
export const refreshOpen = () => dialog.open && shown !== null && looks === 0 ? lookAgain() : undefined;

async function lookAgain() {
  const {name} = shown;
  looks++;
  try {
    const [fresh, found] = await Promise.all([
      get(path`schedules/${name}`), get(path`schedules/${name}` + `/occurrences?${query({next: NEXT, past: PAST})}`)]);
    if (shown.name !== name || JSON.stringify([fresh, found]) === JSON.stringify([shown, runs])) {
      return;
    }
    shown = fresh;
    runs = found;
  } catch (problem) {
    outcome ??= {good: false, words: said(problem)};
  } finally {
    looks--;
  }
  show();
}

function show() {
  fill(sheet,
    h('div', {class: 'head'}, h('h2', {id: 'schedule-title'}, shown.name),
      h('button', {type: 'button', class: 'quiet', 'data-key': 'close', onclick: () => dialog.close()}, t('message.close'))),
    h('p', {class: 'marks'}, stateMark(shown.state), h('span', {}, words(shown))),
    h('p', {class: 'about'}, t(`scheduleAbout.${shown.state}`)),
    shown.late ? h('p', {class: 'flag bad'}, t('schedules.late')) : null,
    shown.reason ? h('p', {class: 'flag bad'}, shown.reason) : null,
    shown.note ? h('p', {class: 'flag'}, t('schedules.noted', {note: shown.note})) : null,
    h('div', {role: 'status'}, outcome ? h('p', {class: `outcome ${outcome.good ? 'good' : 'bad'}`, tabindex: -1, 'data-key': 'schedule-outcome'}, outcome.words) : null),
    mayWrite() ? buttons() : null,
    facts(), next(), past());
}

function buttons() {
  const does = {
    ...(['active', 'failing'].includes(shown.state) ? {pause} : {}),
    ...(shown.state === 'paused' ? {resume} : {}),
    ...(shown.state === 'orphaned' ? {} : {run})
  };
  return h('div', {class: 'buttons', role: 'group', 'aria-label': t('schedules.actions')}, Object.entries(does).map(([name, act]) =>
    h('button', {type: 'button', 'data-key': name, 'data-action': name, onclick: act}, t(`schedules.${name}`))));
}

function facts() {
  const definition = shown.definition ?? {};
  const lines = {
    next: instant(shown.nextAt),
    last: instant(shown.lastAt),
    rule: definition.cron ?? definition.every,
    zone: definition.zone ?? 'UTC',
    route: definition.route,
    fired: number(shown.fired),
    missed: shown.missed > 0 ? number(shown.missed) : null,
    skipped: shown.skipped > 0 ? number(shown.skipped) : null,
    catchUp: definition.catchUp,
    overlap: definition.overlap,
    pausedAt: shown.pausedAt ? instant(shown.pausedAt) : null,
    pausedUntil: shown.pausedUntil ? instant(shown.pausedUntil) : null,
    changedBy: shown.changedBy,
    owner: shown.owner ?? t('schedules.owner.none')
  };
  return h('dl', {class: 'facts'}, Object.entries(lines)
    .filter(([, value]) => value !== null && value !== undefined && value !== '')
    .map(([name, value]) => h('div', {}, h('dt', {}, t(`schedules.${name}`)), h('dd', {}, value))));
}

function next() {
  return runs === null || runs.next.length === 0 ? null : h('div', {}, h('h3', {}, t(shown.nextAt ? 'schedules.nextRuns' : 'schedules.nextIfResumed')),
    occurrences(['at', 'in'], runs.next, each => [full(each.deliverAt), away(each.deliverAt)]));
}

/** With a column for remarks where there are some. */
export function occurrences(columns, list, cells) {
  const remarks = list.some(each => each.remark);
  return h('div', {class: 'cards'}, table(t('schedules.nextRuns'), [...columns, ...(remarks ? ['remark'] : [])].map(name => ({title: t(`schedules.${name}`)})),
    list.map(each => [...cells(each), ...(remarks ? [each.remark ? h('span', {class: 'reason'}, each.remark) : '–'] : [])])));
}

function past() {
  return runs === null || runs.past.length === 0 ? null : h('div', {},
    h('h3', {}, t('schedules.pastRuns')),
    h('div', {class: 'cards'}, table(t('schedules.pastRuns'), [{title: t('schedules.at')}, {title: t('message.state')}, {title: t('schedules.lateness'), number: true}, {title: t('message.id')}],
      runs.past.map(each => [full(each.nominal), mark(each), each.lateMillis === undefined || each.lateMillis === null ? '–' : millis(each.lateMillis), message(each.id)]))));
}

/** Only where the row can be found: its route is the schedule's. */
const message = id => shown.definition?.route
  ? h('button', {type: 'button', class: 'link', 'data-key': `run ${id}`, onclick: () => look(id)}, id) : id;

async function look(id) {
  try {
    await openMessage(await get(path`messages/${shown.definition.route}/${id}`), refreshOpen);
  } catch (problem) {
    ended({good: false, words: said(problem)});
  }
}

function ended(result) {
  outcome = result;
  show();
  find('[data-key=schedule-outcome]', sheet)?.focus();
}

/** Nothing if the reader thought better of it. */
async function act(name, done, fields = [], content = () => ({})) {
  const answer = await confirm({title: t(`schedules.${name}.title`, {name: shown.name}), text: t(`schedules.${name}.text`), fields, yes: t(`schedules.${name}.yes`)});
  if (answer === null) {
    return;
  }
  try {
    ended({good: true, words: done(await post(path`schedules/${shown.name}/` + name, content(answer)))});
  } catch (problem) {
    ended({good: false, words: saidOfChange(problem)});
  }
  onChange();
  await lookAgain();
}

const field = (words, attributes) => h('label', {}, h('span', {}, words), h('input', {autocomplete: 'off', ...attributes}));
const iso = text => new Date(text).toISOString();

const pause = () => act('pause', () => t('schedules.pause.done'), [
  field(t('schedules.note'), {name: 'note', maxlength: 500}),
  field(t('schedules.until', {zone: zone()}), {type: 'datetime-local', name: 'until', step: 1})
], answer => ({...(answer.get('note').trim() ? {note: answer.get('note').trim()} : {}), ...(answer.get('until') ? {until: iso(answer.get('until'))} : {})}));

const resume = () => act('resume', () => t('schedules.resume.done'));

const run = () => act('run', ({id}) => t('schedules.run.done', {id}));

dialog.addEventListener('close', () => address.take('schedule'));
onLanguage(() => { if (dialog.open && shown !== null) { show(); } });
