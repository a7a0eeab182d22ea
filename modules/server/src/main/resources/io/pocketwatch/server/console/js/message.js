// SPDX-License-Identifier: Apache-2.0
// One message, whole, and what can be done with it.
import * as address from './address.js';
import {getExactly, path, said} from './api.js';
import {actions} from './actions.js';
import {fill, find, h, table} from './dom.js';
import {away, clock, full, millis, number} from './format.js';
import {indent} from './indent.js';
import {onLanguage, t} from './language.js';
import {refreshPanels} from './panel.js';
import {worded} from './reason.js';
import {mayWrite} from './session.js';
import {mark, phaseAbout} from './states.js';

const dialog = document.getElementById('message');
const sheet = find('.sheet', dialog);
let shown = null;
let outcome = null;
let asSent = false;
let onChange = refreshPanels;
let looks = 0; // under way

const nameOf = ({route, id}) => [route, id].map(encodeURIComponent).join('/');

/** @param changed is called after every change */
export async function open(message, changed = refreshPanels) {
  shown = message;
  outcome = null;
  onChange = changed;
  address.put({message: nameOf(message)});
  show();
  if (!dialog.open) {
    dialog.showModal();
  }
  await lookAgain();
}

/** Opens the message that the page's address names, and closes one that it does not. */
export async function arrive() {
  const {message: name} = address.parameters();
  if (!name) {
    dialog.close();
  } else if (!dialog.open || shown === null || nameOf(shown) !== name) {
    const [route, id] = name.split('/').map(decodeURIComponent);
    try {
      await open(await look(route, id));
    } catch (problem) {
      shown = null;
      fill(sheet, head(id), h('p', {class: 'outcome bad', role: 'alert'}, said(problem)));
      dialog.showModal();
    }
  }
}

const look = (route, id) => getExactly(path`messages/${route}/${id}`);

/** While it is open it shows what becomes of it. A server that answers slowly is not asked twice. */
export const refreshOpen = () => dialog.open && shown !== null && looks === 0 ? lookAgain() : undefined;

async function lookAgain() {
  const before = shown;
  let changed = true;
  looks++;
  try {
    const fresh = await look(before.route, before.id);
    if (shown !== before) {
      return; // another one, or something was done meanwhile
    }
    changed = JSON.stringify(fresh) !== JSON.stringify(before);
    shown = fresh;
  } catch (problem) {
    changed = outcome === null;
    outcome ??= {good: false, words: said(problem)};
  } finally {
    looks--;
  }
  if (changed) {
    show();
  }
}

function show() {
  const {state} = shown;
  fill(sheet,
    head(shown.id),
    h('p', {class: 'marks'}, mark(shown), h('span', {class: 'about'}, phaseAbout(shown))),
    h('div', {id: 'outcome'}, outcome ? h('p', {class: `outcome ${outcome.good ? 'good' : 'bad'}`, tabindex: -1, 'data-key': 'outcome'}, outcome.words) : null),
    mayWrite() ? h('div', {class: 'buttons', role: 'group', 'aria-label': t('message.actions')}, actions(state).map(action =>
      h('button', {type: 'button', class: action.grave ? 'grave' : '', 'data-key': action.name, 'data-action': action.name,
        onclick: () => run(action)}, t(`action.${action.name}`)))) : null,
    life(), facts(), headers(), body());
}

const head = id => h('div', {class: 'head'},
  h('h2', {id: 'message-title'}, id),
  h('button', {type: 'button', class: 'quiet', 'data-key': 'close', onclick: () => dialog.close()}, t('message.close')));

async function run(action) {
  const result = await action.run(shown);
  if (result === null) {
    return;
  }
  outcome = result;
  shown = result.message ? {...shown, ...result.message} : shown;
  show();
  find('#outcome p').focus(); // it is read out; the button may be gone
  onChange();
  await lookAgain();
}

/** From left to right on a wide screen, from top to bottom on a narrow one. */
function life() {
  const events = shown.life ?? [];
  return events.length === 0 ? null : h('div', {},
    h('h3', {id: 'life-title'}, t('life.title')),
    h('ol', {class: 'life', 'aria-labelledby': 'life-title'}, events.map(event => {
      const ahead = event.at !== null && new Date(event.at) > Date.now();
      return h('li', {class: `${event.what}${ahead ? ' ahead' : ''}`, 'data-event': event.what},
        h('p', {class: 'strong'}, t(`life.${event.what}`)),
        event.at === null ? null : h('p', {}, h('time', {datetime: event.at, title: full(event.at)}, clock(event.at, true)), ' ', h('small', {}, away(event.at))),
        told(event).map(words => h('p', {class: 'about'}, words)));
    })));
}

/** What an event says besides its name and time. */
function told({due, by, what, until, consumer, lateMs, reason, attempts}) {
  const changed = ['cancelled', 'rescheduled', 'retried'].includes(what);
  return [
    due ? t('life.due-at', {time: clock(due, true)}) : null,
    changed ? by ? t('life.by', {who: by}) : t('life.byProgram') : null,
    until ? t('life.until', {time: clock(until, true)}) : null,
    consumer ?? null,
    lateMs === undefined ? null : t('life.late', {span: millis(lateMs)}),
    reason ? worded(reason) : null,
    attempts > 0 ? t('life.attempts', {count: number(attempts)}) : null
  ].filter(each => each !== null);
}

function facts() {
  const {deliverAt, sentAt, heldUntil} = shown;
  const instant = value => value ? h('time', {datetime: value}, `${full(value)} (${away(value)})`) : null;
  const lines = {
    due: instant(deliverAt),
    reason: shown.reason ? worded(shown.reason) : null,
    businessKey: shown.businessKey,
    route: h('a', {href: address.link('routes', {}, shown.route)}, shown.route),
    target: `${shown.exchange || t('message.defaultExchange')} → ${shown.routingKey}`,
    tracking: shown.tracking,
    generation: number(shown.generation),
    attempts: shown.attempts > 0 ? number(shown.attempts) : null,
    sentAt: instant(sentAt),
    heldUntil: instant(heldUntil),
    created: instant(shown.createdAt),
    updated: instant(shown.updatedAt),
    messageId: shown.messageId,
    correlationId: shown.correlationId,
    replyTo: shown.replyTo,
    priority: shown.priority,
    contentType: shown.contentType,
    size: t('message.bytes', {count: number(shown.bodyBytes)})
  };
  return h('dl', {class: 'facts'}, Object.entries(lines)
    .filter(([, value]) => value !== null && value !== undefined && value !== '')
    .map(([name, value]) => h('div', {}, h('dt', {}, t(`message.${name}`)), h('dd', {}, value))));
}

function headers() {
  const list = Object.entries(shown.headers ?? {});
  return list.length === 0 ? null : h('div', {},
    h('h3', {}, t('message.headers')),
    table(t('message.headers'), [{title: t('message.header')}, {title: t('message.value')}],
      list.map(([name, value]) => [name, typeof value === 'string' ? value : JSON.stringify(value)])));
}

function body() {
  const text = shown.bodyText ?? shown.bodyBase64;
  if (text === undefined) {
    return null;
  }
  const laid = shown.bodyText === undefined ? null : indent(text);
  return h('div', {},
    h('div', {class: 'head'},
      h('h3', {}, t(shown.bodyText === undefined ? 'message.bodyBase64' : 'message.body')),
      laid === null || laid === text ? null : h('label', {class: 'choice'},
        h('input', {type: 'checkbox', 'data-key': 'as-sent', checked: asSent, onchange: event => { asSent = event.target.checked; show(); }}),
        ' ', t('message.asSent'))),
    h('pre', {tabindex: 0, 'data-key': 'body', 'aria-label': t('message.body')}, laid === null || asSent ? text : laid));
}

dialog.addEventListener('close', () => address.take('message'));
onLanguage(() => { if (dialog.open && shown !== null) { show(); } });
