// SPDX-License-Identifier: Apache-2.0
// Asks the server, as the person who signed in.
import {has, t} from './language.js';

const ROOT = new URL('../../api/v1/', import.meta.url);
const KEY = 'pocketwatch.authorization'; // sessionStorage: this tab only, gone when it is closed
const PATIENCE = 30_000;
const UNKNOWN = 'other'; // an answer that is no problem of ours
let askWho = () => Promise.reject(new Error('nobody can be asked to sign in'));

/** Is given the server's challenge. */
export const onUnauthenticated = ask => { askWho = ask; };
export const signedIn = () => sessionStorage.getItem(KEY) !== null;
export const forget = () => sessionStorage.removeItem(KEY);

/** What the server refused, or that it did not answer (name: unreachable). */
export class Problem extends Error {
  constructor(name, status, detail, message) {
    super(detail || name);
    this.name = name;
    this.status = status;
    this.detail = detail;
    this.now = message;
  }

  /** For people: our own words where we have some. */
  words() {
    const key = `problem.${this.name}`;
    return this.name !== UNKNOWN && has(key) ? t(key) : this.detail || t('problem.other', {status: this.status});
  }

  /** Of a change: without an answer nobody knows whether it was made. */
  wordsOfChange() {
    const open = ['unreachable', 'store-unavailable', 'internal'].includes(this.name);
    return open ? `${this.words()} ${t('problem.lookAgain')}` : this.words();
  }
}

/** In words, whatever went wrong. */
export function said(problem) {
  if (problem.words) {
    return problem.words();
  }
  console.error(problem);
  return t('problem.page');
}

/** As {@link said}, of a change. */
export const saidOfChange = problem => problem.wordsOfChange ? problem.wordsOfChange() : said(problem);

export function path(strings, ...values) {
  return strings.reduce((all, each, i) => all + encodeURIComponent(values[i - 1]) + each);
}

/** The parameters of a query, without the empty ones. */
export const query = parameters => new URLSearchParams(Object.entries(parameters).filter(([, value]) => value !== '' && value !== undefined)).toString();

export const get = where => json(where, {});
/** Numbers that a script would change, such as 9007199254740993 or 1.10, are kept as they were written. */
export const getExactly = where => json(where, {}, (key, value, {source} = {}) =>
  typeof value === 'number' && source !== undefined && String(value) !== source && JSON.rawJSON ? JSON.rawJSON(source) : value);
export const post = (where, body) => json(where, {
  method: 'POST',
  ...(body === undefined ? {} : {body: JSON.stringify(body), headers: {'Content-Type': 'application/json'}})
});

async function json(where, options, reviver) {
  const answer = await ask(where, {...options, signal: AbortSignal.timeout(PATIENCE)});
  try {
    return JSON.parse(await answer.text(), reviver);
  } catch {
    throw new Problem('unreachable', 0);
  }
}

/** An answer with a status of 2xx; asks who it is as long as the server does not know. */
export async function ask(where, options = {}) {
  for (;;) {
    const used = sessionStorage.getItem(KEY);
    const answer = await attempt(where, options, used);
    if (answer.status !== 401) {
      if (!answer.ok) {
        throw await problem(answer);
      }
      return answer;
    }
    if (sessionStorage.getItem(KEY) === used) { // nobody else has signed in meanwhile
      await askWho(answer.headers.get('WWW-Authenticate') ?? '');
    }
  }
}

/** Whether the server takes these; keeps them if it does. */
export async function signIn(authorization) {
  const answer = await attempt('session', {}, authorization);
  if (answer.ok) {
    sessionStorage.setItem(KEY, authorization);
    return answer.json();
  }
  throw await problem(answer);
}

async function attempt(where, options, authorization) {
  const headers = {'X-Requested-With': 'XMLHttpRequest', ...options.headers};
  if (authorization) {
    headers.Authorization = authorization;
  }
  try {
    return await fetch(new URL(where, ROOT), {...options, headers, credentials: 'omit', cache: 'no-store'});
  } catch (failure) {
    throw failure.name === 'AbortError' ? failure : new Problem('unreachable', 0);
  }
}

async function problem(answer) {
  try {
    const said = await answer.json();
    return new Problem(String(said.type).split('#')[1] ?? UNKNOWN, answer.status, said.detail, said.message);
  } catch {
    return new Problem(UNKNOWN, answer.status);
  }
}
