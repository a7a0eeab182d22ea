// SPDX-License-Identifier: Apache-2.0
// Cancels, reschedules or retries all messages of a filter: first how many there are, then batch after batch.
import {post, said, saidOfChange} from './api.js';
import {fill, find, h, table} from './dom.js';
import {full, local, number, zone} from './format.js';
import {t} from './language.js';
import {stateWord} from './states.js';

export const CHANGEABLE = ['PENDING', 'HELD', 'PARKED', 'FAILED'];
const OUTCOMES = ['changed', 'tooLate', 'beingHandled', 'unknown'];
const KINDS = ['cancel', 'reschedule', 'by', 'retry'];
const dialog = document.getElementById('many');
const form = find('form', dialog);

export const withoutEmpty = filter => Object.fromEntries(Object.entries(filter).filter(([, value]) => value === true || value?.length > 0));

/**
 * @param filter as the interface takes it
 * @param kind what was asked for; without it nothing is chosen yet
 * @returns when the dialog is closed
 */
export function changeMany(filter, kind = null) {
  ask(filter, kind);
  dialog.showModal();
  return new Promise(resolve => dialog.addEventListener('close', resolve, {once: true}));
}

const head = () => [h('h2', {id: 'many-title'}, t('many.title')), h('dl', {class: 'facts'}, Object.entries(form.filter).map(([name, value]) =>
  h('div', {}, h('dt', {}, t(`many.${name}`)), h('dd', {}, worded(name, value)))))];

function worded(name, value) {
  return name === 'messages' ? value.map(each => each.id).join(', ') : name === 'overdue' ? t('search.overdue') : name === 'states' ? value.map(stateWord).join(', ') : name.startsWith('due') ? full(value) : value;
}

const closer = words => h('button', {type: 'button', class: 'quiet', 'data-key': 'many-close', onclick: () => dialog.close()}, words);

/** What is to be done. */
function ask(filter, kind) {
  form.filter = filter;
  const failed = h('p', {class: 'outcome bad', role: 'alert', hidden: true});
  const when = h('input', {type: 'datetime-local', name: 'when', step: 1, value: local(new Date(Date.now() + 3_600_000))});
  const by = h('input', {name: 'by', placeholder: '1h', autocomplete: 'off', autocapitalize: 'off', spellcheck: false, maxlength: 40});
  const fields = {reschedule: h('label', {}, h('span', {}, t('reschedule.when', {zone: zone()})), when), by: h('label', {}, h('span', {}, t('many.by')), by)};
  const show = () => {
    for (const [name, field] of Object.entries(fields)) {
      field.hidden = form.elements.kind.value !== name;
      find('input', field).required = !field.hidden;
    }
  };
  fill(form, head(),
    h('fieldset', {}, h('legend', {class: 'unseen'}, t('many.kind')), KINDS.map(each => h('label', {class: 'choice'},
      h('input', {type: 'radio', name: 'kind', value: each, checked: each === kind, required: true, onchange: show}), ' ', t(`many.${each}`)))),
    Object.values(fields), failed,
    h('div', {class: 'buttons'}, closer(t('ask.no')), h('button', {type: 'submit', class: 'first', id: 'many-count'}, t('many.count'))));
  show();
  form.onsubmit = async event => {
    event.preventDefault();
    const change = chosen();
    try {
      confirm(change, change.messages?.length ?? (await post('messages/changes', {...change, dryRun: true})).matching);
    } catch (problem) {
      failed.textContent = said(problem);
      failed.hidden = false;
    }
  };
}

function chosen() {
  const {kind, when, by} = form.elements;
  const filter = form.filter.messages ? form.filter : {filter: form.filter};
  return kind.value === 'reschedule' ? {change: 'reschedule', deliverAt: new Date(when.value).toISOString(), ...filter}
    : kind.value === 'by' ? {change: 'reschedule', by: by.value.trim(), ...filter} : {change: kind.value, ...filter};
}

/** How many there are, and whether to. */
function confirm(change, matching) {
  const kind = change.by === undefined ? change.change : 'by';
  const grave = kind === 'cancel';
  fill(form, head(),
    h('p', {class: 'strong', id: 'many-matching'}, matching === 0 ? t('many.none') : t(`many.${kind}.ask`, {
      count: number(matching), time: change.deliverAt ? full(change.deliverAt) : '', by: change.by ?? ''})),
    matching > 0 ? h('p', {class: 'about'}, t('many.each')) : null,
    h('div', {class: 'buttons'},
      h('button', {type: 'button', class: 'quiet', 'data-key': 'many-back', onclick: () => { ask(form.filter, kind); }}, t('ask.no')),
      matching > 0 ? h('button', {type: 'submit', class: grave ? 'grave' : 'first', id: 'many-go'}, t(`many.${kind}.yes`, {count: number(matching)})) : null));
  find('button', find('.buttons', form)).focus();
  form.onsubmit = event => {
    event.preventDefault();
    go(change, matching);
  };
}

/** Batch after batch, until there are no more or the reader has seen enough. */
async function go(change, matching) {
  const counts = Object.fromEntries(OUTCOMES.map(name => [name, 0]));
  const bar = h('progress', {max: matching, value: 0, 'aria-label': t('many.progress')});
  const words = h('p', {role: 'status'});
  let stopped = false;
  const stop = h('button', {type: 'button', id: 'many-stop', onclick: () => { stopped = true; stop.disabled = true; }}, t('many.stop'));
  const halt = () => { stopped = true; };
  fill(form, head(), bar, words, h('div', {class: 'buttons'}, stop));
  stop.focus();
  form.onsubmit = event => event.preventDefault();
  dialog.addEventListener('close', halt, {once: true});
  const show = () => {
    const done = OUTCOMES.reduce((sum, name) => sum + counts[name], 0);
    bar.value = done;
    words.textContent = t('many.done', {done: number(done), all: number(Math.max(done, matching))});
  };
  let failed = null;
  let rest = change;
  show();
  try {
    while (rest !== null && !stopped) {
      const answer = await post('messages/changes', rest);
      OUTCOMES.forEach(name => { counts[name] += answer[name] ?? 0; });
      rest = behind(rest, answer);
      show();
    }
  } catch (problem) {
    failed = saidOfChange(problem);
  }
  dialog.removeEventListener('close', halt);
  ended(counts, failed ?? (rest === null ? null : t('many.stopped')));
}

/** What is left to ask for; null if nothing is. */
function behind(asked, {next, left, outcomes}) {
  if (asked.messages) {
    const done = new Set(outcomes.map(({route, id}) => JSON.stringify([route, id])));
    return left > 0 ? {...asked, messages: asked.messages.filter(({route, id}) => !done.has(JSON.stringify([route, id])))} : null;
  }
  return next === null ? null : {...asked, cursor: next};
}

/** What became of them. */
function ended(counts, cut) {
  const rows = OUTCOMES.filter(name => name !== 'unknown' || counts.unknown > 0).map(name => [t(`many.${name}`), number(counts[name]), t(`many.${name}About`)]);
  fill(form, head(),
    h('p', {class: `outcome ${cut === null ? 'good' : 'bad'}`, tabindex: -1, id: 'many-outcome'}, cut ?? t('many.all', {count: number(counts.changed)})),
    table(t('many.outcome'), [{title: t('many.outcome')}, {title: t('parked.count'), number: true}, {title: t('many.meaning')}], rows),
    h('div', {class: 'buttons'}, closer(t('message.close'))));
  find('#many-outcome').focus();
}
