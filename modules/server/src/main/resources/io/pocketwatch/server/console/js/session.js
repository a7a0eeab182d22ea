// SPDX-License-Identifier: Apache-2.0
// Who looks at the page, and what they may.
import {forget, get, onUnauthenticated, signIn, signedIn} from './api.js';
import {find} from './dom.js';
import {onLanguage, t} from './language.js';

const dialog = document.getElementById('sign-in');
const form = find('form', dialog);
let asking = null;
let who = null;

/** Whether buttons that change something are of use. */
export const mayWrite = () => who !== null && who.role === 'write';

/** Whether there are stored messages, or a broker alone. */
export const hasStore = () => who === null || who.store;

/** Whether they see what is about all routes together. */
export const seesAll = () => who !== null && who.routes === null;

/** What this is the console of: the server's name, if it has one, the broker and its vhost. */
export const place = () => who?.place ?? {};

export function start() {
  onUnauthenticated(challenge => asking ??= askWho(challenge).finally(() => { asking = null; }));
  form.addEventListener('change', showFields);
  dialog.addEventListener('cancel', event => event.preventDefault()); // there is nothing behind it yet
  find('#sign-out').addEventListener('click', () => {
    forget();
    location.reload();
  });
  onLanguage(show);
}

/** Asks the server, which may make it ask the reader. */
export async function identify() {
  who = await get('session');
  document.body.classList.toggle('no-store', !hasStore());
  show();
}

function show() {
  const {name, broker, vhost} = place();
  find('#place').textContent = [name, broker && `${broker} ${vhost}`].filter(each => each).join(' · ');
  find('#sign-out').hidden = !signedIn();
  find('#who').textContent = who === null || who.authentication === 'none' ? '' : t('session.who', {name: who.name, role: t(`role.${who.role}`)});
}

function showFields() {
  const basic = form.elements.how.value === 'basic';
  find('[data-for=basic]', form).hidden = !basic;
  form.elements.user.required = basic;
  const secret = find('[data-secret]', form);
  secret.dataset.text = basic ? 'session.secret' : 'session.token';
  secret.textContent = t(secret.dataset.text);
}

/** Where the server knows no token, for user and password. */
function askWho(challenge) {
  forget();
  const basic = challenge.startsWith('xBasic');
  form.elements.how.value = basic ? 'basic' : 'bearer';
  showFields();
  return new Promise(resolve => {
    const failed = find('.outcome', form);
    failed.hidden = true;
    form.onsubmit = async event => {
      event.preventDefault();
      try {
        who = await signIn(authorization());
        form.reset();
        showFields();
        dialog.close();
        show();
        resolve();
      } catch (problem) {
        failed.textContent = problem.name === 'unauthenticated' ? t('session.wrong') : problem.words();
        failed.hidden = false;
      }
    };
    dialog.showModal();
    (basic ? form.elements.user : form.elements.secret).focus();
  });
}

function authorization() {
  const {how, user, secret} = form.elements;
  if (how.value === 'bearer') {
    return `Bearer ${secret.value.trim()}`;
  }
  const bytes = new TextEncoder().encode(`${user.value}:${secret.value}`);
  return `Basic ${btoa(String.fromCharCode(...bytes))}`;
}
