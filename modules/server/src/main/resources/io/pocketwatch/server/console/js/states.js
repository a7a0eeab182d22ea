// SPDX-License-Identifier: Apache-2.0
// The state of a message, as a mark that does not live by its colour alone.
import {h} from './dom.js';
import {t} from './language.js';

export const mark = state => h('span', {class: `mark ${state.toLowerCase()}`, 'data-state': state}, t(`state.${state}`));
