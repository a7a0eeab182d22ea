// SPDX-License-Identifier: Apache-2.0
// What can be done with a message in which state, and what came of it, in words.
import {path, post, saidOfChange} from './api.js';
import {confirm} from './ask.js';
import {h} from './dom.js';
import {full, local, zone} from './format.js';
import {t} from './language.js';

const CANCEL = {name: 'cancel', grave: true, run: message => change(message, 'cancel')};
const NOW = {name: 'release-now', run: message => change(message, 'release-now')};
const AGAIN = {name: 're-release', run: message => change(message, 're-release')};
const MOVE = {name: 'reschedule', run: move};
const BY_STATE = {
  PENDING: [MOVE, NOW, CANCEL], HELD: [MOVE, NOW, CANCEL], PARKED: [AGAIN, MOVE, CANCEL], FAILED: [AGAIN, MOVE, CANCEL]
};

export const actions = state => BY_STATE[state] ?? [];

/** Null if the reader thought better of it, else what came of it. */
async function change(message, name, fields = [], content = () => undefined) {
  const answer = await confirm({
    title: t(`${name}.title`), text: t(`${name}.text`, {id: message.id, route: message.route}), fields,
    yes: t(`${name}.yes`), grave: name === 'cancel'
  });
  if (answer === null) {
    return null;
  }
  try {
    const done = await post(path`messages/${message.route}/${message.id}/` + name, content(answer));
    return {good: true, message: done.message, words: t(`${name}.done`, {time: done.message ? full(done.message.deliverAt) : ''})};
  } catch (problem) {
    return {good: false, message: problem.now, words: saidOfChange(problem)};
  }
}

function move(message) {
  const later = new Date(Math.max(Date.now(), new Date(message.deliverAt).getTime()));
  return change(message, 'reschedule', [
    h('label', {}, h('span', {}, t('reschedule.when', {zone: zone()})),
      h('input', {type: 'datetime-local', name: 'when', step: 1, required: true, value: local(later)}))
  ], answer => ({deliverAt: new Date(answer.get('when')).toISOString()}));
}
