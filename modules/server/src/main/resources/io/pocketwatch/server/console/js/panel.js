// SPDX-License-Identifier: Apache-2.0
// What the panels have in common: each is filled when its answer comes, and says so when none does.
import {said} from './api.js';
import {fill, find, h} from './dom.js';
import {clock} from './format.js';
import {onLanguage, t} from './language.js';

const REPAINT = 20_000; // for spans like 'in 5 min'
const panels = [];

/**
 * @param id of its section
 * @param seconds between two looks
 * @param load asks the server
 * @param show puts the answer into the body
 * @param still of the answer shown and a newer one: the newer one with the rows where they are. For as long as
 *   somebody points at them; null where rows have a place of their own
 */
export function panel(id, seconds, load, show, still = null) {
  const section = document.getElementById(id);
  const body = find('.body', section);
  const failure = h('p', {class: 'flag bad', role: 'status', hidden: true});
  body.before(failure);
  const said = h('div', {role: 'status'});
  body.before(said);
  const state = {section, seconds, loadedAt: 0, busy: false, again: false, force: false, painted: false, over: false, answer: undefined};
  section.setAttribute('aria-busy', 'true');
  fill(body, h('p', {class: 'empty'}, t('panel.loading')));

  state.refresh = async (force = false) => {
    state.painted &&= !force;
    if (state.busy) {
      state.again = true;
      state.force ||= force;
      return;
    }
    state.busy = true;
    state.loadedAt = Date.now();
    try {
      paint(await load());
      state.answeredAt = new Date();
      failure.hidden = true;
      state.problem = null;
      section.classList.remove('old');
    } catch (problem) {
      failed(failure, body, state, problem);
      section.classList.add('old');
    } finally {
      section.removeAttribute('aria-busy');
      state.busy = false;
    }
    if (state.again) {
      const forced = state.force;
      Object.assign(state, {again: false, force: false});
      await state.refresh(forced);
    }
  };
  /** Not if all is as it was: who marks a text to copy it would lose it. */
  function paint(newest) {
    const answer = still !== null && state.painted && pointedAt() ? still(state.answer, newest) : newest;
    const json = JSON.stringify(answer);
    if (!state.painted || json !== state.json || Date.now() - state.paintedAt > REPAINT) {
      show(body, answer);
      Object.assign(state, {answer, json, painted: true, paintedAt: Date.now()});
    }
    state.newest = newest;
  }

  function letGo() {
    if (state.painted && state.newest !== state.answer && !pointedAt()) {
      paint(state.newest);
    }
  }

  /** Its rows, by a mouse or by keyboard: a finger that has gone leaves nothing behind. */
  function pointedAt() {
    return find('tbody', body) !== null && (state.over || find('tbody :focus', body) !== null);
  }

  if (still !== null) {
    body.addEventListener('pointerenter', event => { state.over = event.pointerType === 'mouse'; });
    body.addEventListener('pointerleave', () => {
      state.over = false;
      letGo();
    });
    body.addEventListener('focusout', () => setTimeout(letGo)); // then the next one has the focus
  }
  /** What came of a change, until the next one. */
  state.say = (good, words) => {
    fill(said, h('p', {class: `outcome ${good ? 'good' : 'bad'}`, tabindex: -1}, words));
    said.firstChild.focus(); // it is read out; the button may be gone
  };
  state.hush = () => fill(said);
  state.forget = () => {
    state.answer = undefined;
    state.answeredAt = undefined;
    fill(body, h('p', {class: 'empty'}, t('panel.loading')));
  };
  state.repaint = () => {
    if (state.problem) {
      failed(failure, body, state, state.problem);
    }
    return state.answer === undefined ? state.refresh() : show(body, state.answer);
  };
  panels.push(state);
  return state;
}

/**
 * The rows that are shown, each as it is now, in the order they are shown. What is no longer among the newest
 * is marked as gone, and what is new comes later.
 */
export function rowsInPlace(shown, newest, key) {
  const now = new Map(newest.map(each => [key(each), each]));
  return shown.map(each => now.get(key(each)) ?? {...each, gone: true});
}

/** What was there before stays; it is not the server's word any more. */
function failed(failure, body, state, problem) {
  state.problem = problem;
  failure.textContent = [said(problem), state.answeredAt ? t('panel.asOf', {time: clock(state.answeredAt, true)}) : ''].join(' ').trim();
  failure.hidden = false;
  if (state.answer === undefined) {
    fill(body);
  }
}

/** Looks again wherever it is time; all of them if so wanted. */
export function refreshPanels(all = false) {
  if (!document.hidden) {
    panels.filter(each => each.section.getClientRects().length > 0) // of the view that is shown
      .filter(each => all || Date.now() - each.loadedAt >= each.seconds * 1000 - 500).forEach(each => each.refresh());
  }
}

export const empty = (title, advice) => h('div', {class: 'empty'}, h('p', {class: 'strong'}, title), advice ? h('p', {}, advice) : null);

onLanguage(() => panels.filter(each => each.loadedAt > 0).forEach(each => each.repaint()));
