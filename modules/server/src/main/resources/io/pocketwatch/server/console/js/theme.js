// SPDX-License-Identifier: Apache-2.0
// Light, dark, or as the system says.
import {read, write} from './keep.js';

const KEY = 'pocketwatch.theme';
const listeners = [];

/** Called after every change, whoever made it. */
export const onTheme = listener => listeners.push(listener);

export const colour = name => getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();

export function start() {
  const choice = document.getElementById('theme');
  const kept = read(KEY);
  choice.value = kept === 'light' || kept === 'dark' ? kept : 'auto';
  choice.addEventListener('change', () => {
    write(KEY, choice.value);
    if (choice.value === 'auto') {
      delete document.documentElement.dataset.theme;
    } else {
      document.documentElement.dataset.theme = choice.value;
    }
    listeners.forEach(listener => listener());
  });
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => listeners.forEach(listener => listener()));
}
