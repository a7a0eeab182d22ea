// SPDX-License-Identifier: Apache-2.0
// What a message does now, as a mark that does not live by its colour alone.
import {h} from './dom.js';
import {away, clock} from './format.js';
import {t} from './language.js';

/** The two that several phases have: the row's column is shown as it is. Each other one is a phase. */
const OF_SEVERAL = ['PENDING', 'HELD'];

/** What a row's state is called. */
export const stateWord = state => OF_SEVERAL.includes(state) ? state : t(`phase.${state.toLowerCase()}`);

/** Of a message, or of a state alone. */
export function mark(message) {
  const {state, phase, overdue} = typeof message === 'string' ? {state: message} : message;
  return h('span', {class: 'state'}, h('span', {class: `mark ${phase ?? state.toLowerCase()} ${state.toLowerCase()}`, 'data-state': state}, phase ? t(`phase.${phase}`) : stateWord(state)),
    overdue ? h('span', {class: 'mark overdue'}, t('search.overdue')) : null);
}

/** Who has it, and what comes next. */
export const phaseAbout = ({phase, consumer, begunAt, nextAt, nextQueue}) => phase === undefined ? ''
  : t(`phaseAbout.${phase}`, {consumer: consumer ?? '', since: begunAt ? away(begunAt) : '', time: nextAt ? clock(nextAt, true) : '', queue: nextQueue ?? ''});

/** Whether any is overdue that its consumer has not put off, as health says it. */
export const late = overdue => overdue?.count > overdue?.phases.retrying;
