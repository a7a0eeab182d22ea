// SPDX-License-Identifier: Apache-2.0
// The address names the view and what of it is shown, as in #messages?state=HELD or #routes/reminder. So a view
// can be sent to somebody else, and Back leads to the one before.
const listeners = [];
let heard = location.hash;

/** The view, the name of what it is about (null if there is none), and what else is said of it. */
export function here() {
  const [path, query = ''] = location.hash.slice(1).split('?');
  const [view = '', ...name] = path.split('/').map(decoded);
  return {view, name: name.join('/') || null, parameters: Object.fromEntries(new URLSearchParams(query))};
}

function decoded(text) {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

export const parameters = () => here().parameters;

/** Where a link to it leads; what is empty is left out. */
export function link(view, given = {}, name = null) {
  const query = new URLSearchParams(Object.entries(given).filter(([, value]) => value !== '' && value !== undefined)).toString();
  return `#${view}${name === null ? '' : `/${encodeURIComponent(name)}`}${query ? `?${query}` : ''}`;
}

/** Puts these beside what the address says already; empty ones are taken out. Back then leads to what it was. */
export const put = changed => set(changed, 'pushState', {over: true});
/** As {@link put}; Back leads to where it led before. */
export const amend = changed => set(changed, 'replaceState', history.state);

function set(changed, how, state) {
  const {view, name, parameters: all} = here();
  const to = link(view, {...all, ...changed}, name);
  if (to !== location.hash) {
    history[how](state, '', to);
    heard = location.hash;
  }
}

/** Takes these out: by going back, if that is how they came in. */
export function take(...names) {
  if (names.some(name => name in parameters())) {
    if (history.state?.over) {
      history.back();
    } else {
      amend(Object.fromEntries(names.map(name => [name, ''])));
    }
  }
}

export function go(to) {
  location.hash = to;
}

/** Called when somebody has gone somewhere, not when {@link put} says where they are. */
export const onAddress = listener => listeners.push(listener);

addEventListener('hashchange', () => {
  if (location.hash !== heard) {
    heard = location.hash;
    listeners.forEach(listener => listener());
  }
});
