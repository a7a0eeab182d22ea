// SPDX-License-Identifier: Apache-2.0
// What can be done with a message in which state, and what came of it, in words.
import {path, post, saidOfChange} from './api.js';
import {confirm} from './ask.js';
import {h} from './dom.js';
import {full, local, zone} from './format.js';
import {t} from './language.js';

const CANCEL = {name: 'cancel', grave: true, run: message => change(message, 'cancel')};
const SEND_NOW = {name: 'send-now', run: message => change(message, 'send-now')};
const RETRY = {name: 'retry', run: message => change(message, 'retry')};
const RESCHEDULE = {name: 'reschedule', run: reschedule};
const BY_STATE = {
  PENDING: [RESCHEDULE, SEND_NOW, CANCEL], HELD: [RESCHEDULE, SEND_NOW, CANCEL], PARKED: [RETRY, RESCHEDULE, CANCEL], FAILED: [RETRY, RESCHEDULE, CANCEL]
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

function reschedule(message) {
  const later = new Date(Math.max(Date.now(), new Date(message.deliverAt).getTime()));
  return change(message, 'reschedule', [
    h('label', {}, h('span', {}, t('reschedule.when', {zone: zone()})),
      h('input', {type: 'datetime-local', name: 'when', step: 1, required: true, value: local(later)}))
  ], answer => ({deliverAt: new Date(answer.get('when')).toISOString()}));
}
