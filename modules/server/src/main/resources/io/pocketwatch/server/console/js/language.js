// SPDX-License-Identifier: Apache-2.0
// The words of the page: one JSON file per language, the same keys in each.
import {read, write} from './keep.js';

const LANGUAGES = ['en', 'zh'];
const KEY = 'pocketwatch.language';
const listeners = [];
let words = {};
let language = 'en';

export const current = () => language;
/** For numbers and times: the browser's own region where it speaks this language. */
export const locale = () => navigator.languages.find(each => each.split('-')[0] === language) ?? (language === 'zh' ? 'zh-CN' : 'en');
export const has = key => key in words;

/** The words under a key; {name} in them is replaced by the parameter of that name. */
export function t(key, parameters = {}) {
  const text = words[key] ?? key;
  return text.replace(/\{(\w+)\}/g, (all, name) => name in parameters ? String(parameters[name]) : all);
}

/** Called after every change of the language. */
export const onLanguage = listener => listeners.push(listener);

export async function start() {
  const wanted = [read(KEY), ...navigator.languages.map(each => each.split('-')[0])];
  await use(wanted.find(each => LANGUAGES.includes(each)) ?? 'en');
  const choice = document.getElementById('language');
  choice.value = language;
  choice.addEventListener('change', async () => {
    try {
      await use(choice.value);
      write(KEY, language);
    } catch {
      choice.value = language; // the server is away
    }
  });
}

async function use(name) {
  const answer = await fetch(new URL(`../lang/${name}.json`, import.meta.url));
  if (!answer.ok) {
    throw new Error(`no words in ${name}: ${answer.status}`);
  }
  words = await answer.json();
  language = name;
  document.documentElement.lang = name === 'zh' ? 'zh-CN' : name;
  document.querySelectorAll('[data-text]').forEach(each => { each.textContent = t(each.dataset.text); });
  document.querySelectorAll('[data-label]').forEach(each => each.setAttribute('aria-label', t(each.dataset.label)));
  listeners.forEach(listener => listener());
}
