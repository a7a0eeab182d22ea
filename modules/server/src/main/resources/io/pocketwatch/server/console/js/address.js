// SPDX-License-Identifier: Apache-2.0
// The page's address says what is shown, so that a view can be sent to somebody else.

export const parameters = () => Object.fromEntries(new URLSearchParams(location.search));

/** Puts these into the address; empty ones are taken out. */
export function put(changed) {
  const all = new URLSearchParams(location.search);
  for (const [name, value] of Object.entries(changed)) {
    if (value === '' || value === undefined) {
      all.delete(name);
    } else {
      all.set(name, value);
    }
  }
  const query = all.toString();
  history.replaceState(null, '', `${location.pathname}${query ? `?${query}` : ''}${location.hash}`);
}
