// SPDX-License-Identifier: Apache-2.0
// What a message does now, as a mark that does not live by its colour alone.
import {h} from './dom.js';
import {away, clock} from './format.js';
import {t} from './language.js';

/** Of a message, or of a state alone. */
export function mark(message) {
  const {state, phase, overdue} = typeof message === 'string' ? {state: message} : message;
  return h('span', {class: 'state'}, h('span', {class: `mark ${phase ?? state.toLowerCase()} ${state.toLowerCase()}`, 'data-state': state}, t(phase ? `phase.${phase}` : `state.${state}`)),
    overdue ? h('span', {class: 'mark overdue'}, t('phase.overdue')) : null);
}

/** Who has it, and what comes next. */
export const phaseAbout = ({phase, consumer, begunAt, nextAt, nextQueue}) => phase === undefined ? ''
  : t(`phaseAbout.${phase}`, {consumer: consumer ?? '', since: begunAt ? away(begunAt) : '', time: nextAt ? clock(nextAt, true) : '', queue: nextQueue ?? ''});

/** Whether any is overdue that its consumer has not put off, as health says it. */
export const late = overdue => overdue?.unsent + overdue?.sent > 0;
