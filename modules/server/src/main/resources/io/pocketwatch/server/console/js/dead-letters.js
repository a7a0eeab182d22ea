// SPDX-License-Identifier: Apache-2.0
// What waits for a person in a queue: each message, and another try or an end for all of them.
import {get, post, said, saidOfChange} from './api.js';
import {confirm} from './ask.js';
import {fill, find, h, table} from './dom.js';
import {away, number, time} from './format.js';
import {indent} from './indent.js';
import {t} from './language.js';
import {reasonOf} from './reason.js';

const dialog = document.getElementById('dead-letters');

/** Each with where it goes, why it is there, and since when. */
export const members = ({count, messages}) => [
  h('div', {class: 'cards'}, table(t('deadLetters.title'), ['message.target', 'message.route', 'message.reason', 'message.due', 'message.body'].map(key => ({title: t(key)})), messages.map(each => [
    `${each.exchange || t('message.defaultExchange')} → ${each.routingKey}`, each.route ?? '–', h('span', {class: 'reason'}, reasonOf(each)),
    each.deliverAt ? h('span', {class: 'when'}, time(each.deliverAt), ' ', h('small', {}, away(each.deliverAt))) : '–', body(each)]))),
  count > messages.length ? h('p', {class: 'about'}, t('deadLetters.first', {count: number(messages.length), all: number(count)})) : null
];

function body({id, bodyText, bodyBase64, bodyBytes}) {
  const text = bodyText === null ? bodyBase64 ?? '' : indent(bodyText) ?? bodyText;
  return bodyBytes === 0 ? '–' : h('details', {}, h('summary', {'data-key': `body ${id}`}, t('message.bytes', {count: number(bodyBytes)})), h('pre', {tabindex: 0}, text));
}

/** The callbacks without a row that wait in a route's queue. */
export async function showParked(route) {
  const sheet = find('.sheet', dialog);
  const head = h('div', {class: 'head'}, h('h2', {id: 'dead-letters-title'}, t('deadLetters.ofRoute', {route})),
    h('button', {type: 'button', class: 'quiet', onclick: () => dialog.close()}, t('message.close')));
  fill(sheet, head, h('p', {class: 'empty'}, t('panel.loading')));
  dialog.showModal();
  try {
    fill(sheet, head, members(await get(`parked/${encodeURIComponent(route)}`)));
  } catch (problem) {
    fill(sheet, head, h('p', {class: 'outcome bad', role: 'alert'}, said(problem)));
  }
}

/**
 * Sends or deletes all of a queue, until none has found its target any more.
 *
 * @param what send or delete
 * @param words their keys' first part: with Title, Text, Yes and Done behind it
 * @param page of the panel, which says what came of it
 */
export async function changeDeadLetters(path, what, words, parameters, page) {
  if (await confirm({title: t(`${words}Title`, parameters), text: t(`${words}Text`, parameters), yes: t(`${words}Yes`), grave: what === 'delete'}) === null) {
    return;
  }
  let done = 0;
  let answer;
  try {
    do {
      answer = await post(`${path}/${what}`, {});
      done += answer.sent ?? answer.deleted;
    } while (answer.more && answer.sent > 0);
    const left = [...Object.entries(answer.left ?? {}).map(([why, some]) => `${number(some)}: ${why}`), ...(answer.more ? [t('holds.more')] : [])].join('; ');
    page.say(left === '', left === '' ? t(`${words}Done`, {count: number(done)}) : t('holds.sentSome', {count: number(done), left}));
  } catch (problem) {
    page.say(false, saidOfChange(problem));
  }
  await page.refresh(true);
}
