// SPDX-License-Identifier: Apache-2.0
// Remembers choices in this browser, where it lets us.

export function read(key) {
  try {
    return localStorage.getItem(key);
  } catch {
    return null;
  }
}

export function write(key, value) {
  try {
    localStorage.setItem(key, value);
  } catch {
    // the choice then lasts as long as the page
  }
}
