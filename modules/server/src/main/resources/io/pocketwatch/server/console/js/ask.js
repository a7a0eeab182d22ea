// SPDX-License-Identifier: Apache-2.0
// Asks before something is changed.
import {fill, find, h} from './dom.js';
import {t} from './language.js';

const dialog = document.getElementById('confirm');
const form = find('form', dialog);

/**
 * @param what with title, text, fields (elements, optional), yes (the button's words), grave (true if it cannot be undone)
 * @returns the form's values, or null if the answer was no
 */
export function confirm({title, text, fields = [], yes, grave}) {
  return new Promise(resolve => {
    fill(form,
      h('h2', {id: 'confirm-title'}, title),
      h('p', {}, text),
      fields,
      h('div', {class: 'buttons'},
        h('button', {type: 'button', class: 'quiet', onclick: () => dialog.close(), autofocus: grave}, t('ask.no')),
        h('button', {type: 'submit', class: grave ? 'grave' : 'first', id: 'confirm-yes'}, yes)));
    let answer = null;
    form.onsubmit = () => { answer = new FormData(form); };
    dialog.addEventListener('close', () => resolve(answer), {once: true});
    dialog.showModal();
  });
}
