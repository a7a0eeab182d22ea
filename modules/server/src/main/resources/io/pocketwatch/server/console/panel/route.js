// SPDX-License-Identifier: Apache-2.0
// One route: what is wrong with it, whose consumer, and what can be done.
import {here, link} from '../js/address.js';
import {get, path, post, saidOfChange} from '../js/api.js';
import {confirm} from '../js/ask.js';
import {fill, find, h, table} from '../js/dom.js';
import {away, bounds, full, number, span, time} from '../js/format.js';
import {t} from '../js/language.js';
import {panel} from '../js/panel.js';
import {reasonOf, worded} from '../js/reason.js';
import {mayWrite} from '../js/session.js';
import {late, mark, stateWord} from '../js/states.js';

const STATES = ['PENDING', 'HELD', 'PARKED', 'FAILED', 'SETTLED', 'CANCELLED'];
let name = null;

const page = panel('route', 4, () => get(path`routes/${name}`), show);

export function arrive() {
  if (here().name !== name) {
    ({name} = here());
    find('#route-title').textContent = name;
    page.hush();
    page.forget(); // the figures of one route must not stand under another's name
    page.refresh(true);
  }
}

function show(body, route) {
  if (route.name !== name) {
    return; // of the one before
  }
  fill(body,
    verdict(route).map(([grade, words]) => h('p', {class: `flag ${grade}`}, words)),
    h('div', {class: 'buttons', role: 'group', 'aria-label': t('route.do')},
      h('a', {class: 'button', 'data-key': 'overdue', href: link('messages', {state: 'overdue', route: name})}, t('route.overdue', {count: number(route.overdue?.count ?? 0)})),
      h('a', {class: 'button', 'data-key': 'waiting', href: link('messages', {route: name})}, t('route.waiting')),
      mayWrite() && route.settings ? h('button', {type: 'button', 'data-key': 'test', onclick: test}, t('route.test')) : null),
    h('div', {class: 'columns'},
      part('queues', queues(route)), part('consumers', consumers(route)), part('counts', counts(route)), part('given-up', givenUp(route)),
      part('day', day(route)), part('settings', settings(route))));
}

const part = (what, ...content) => h('section', {class: 'panel', 'data-part': what, 'aria-label': t(`route.${what}`)}, h('h3', {}, t(`route.${what}`)), content);

/** What is wrong, the gravest first, in sentences. */
function verdict(route) {
  const {overdue, queues: {problem, exchange, queues: all}, settings: known, storeKnown, callback, target: named} = route;
  const said = [];
  const target = all.find(each => each.name === named);
  if (isNoExchange(exchange)) {
    said.push(['bad', t(known?.tracking === 'full' ? 'route.noExchange' : 'route.noExchangeKept', {exchange: exchange.name})]);
  } else if (exchange?.problem) {
    said.push(['bad', t('route.exchangeRefused', {exchange: exchange.name, problem: exchange.problem})]);
  }
  if (!storeKnown) {
    said.push(['bad', t('away.store')]);
  }
  if (problem !== null) {
    said.push(['bad', t('away.broker')]);
  }
  if (overdue?.count > 0) {
    said.push([late(overdue) ? 'bad' : '', t('route.late', {count: number(overdue.count), span: span(Math.floor(overdue.oldestSeconds)), due: number(overdue.phases.due), sent: number(overdue.phases.sent), beingHandled: number(overdue.phases['being-handled']), retrying: number(overdue.phases.retrying)})]);
  }
  said.push(...notSent(route));
  if (isAbsent(target)) {
    said.push(['bad', t('route.noQueue', {queue: target.name})]);
  } else if (target?.problem) {
    said.push(['bad', t('route.queueRefused', {queue: target.name, problem: target.problem})]);
  } else if (target?.consumers === 0) {
    const before = route.consumers.find(each => each.consumer === target.name);
    const words = {queue: target.name, count: number(target.messages)};
    said.push([target.messages > 0 || late(overdue) ? 'bad' : '', before ? t('route.stopped', {...words, ago: away(before.lastSettledAt)}) : t('route.noConsumer', words)]);
  }
  said.push(...notConsumed(route));
  if (callback?.lastProblem) {
    said.push(['bad', t('route.callbackFails', {url: callback.url, problem: worded(callback.lastProblem), ago: away(callback.lastAt)})]);
  }
  said.push(...waitsForPerson(route));
  if (known === null) {
    said.push(['', t('route.unknown')]);
  }
  return said.length > 0 ? said : [['good', t('route.fine')]];
}

/** Why a message that is due is not sent. Of an exchange that is not there all is said. */
function notSent({notSent: first, queues: {exchange}}) {
  if (first === null || isNoExchange(exchange)) {
    return [];
  }
  const tries = {tries: number(first.attempts), next: away(first.nextAt)};
  return [['bad', first.exchange && exchange?.problem === null && first.reason.startsWith('312')
    ? t('route.notBound', {exchange: first.exchange, key: first.routingKey, ...tries}) : t('route.notSent', {reason: worded(first.reason), ...tries})]];
}

/** Which queues of its consumers have none any more, or that it never had one. */
function notConsumed({overdue, queues: {problem, exchange, queues: all}, settings: known, counts: rows, consumers: settled, storeKnown, target}) {
  const someone = all.some(each => each.consumers > 0);
  const last = new Map(settled.map(each => [each.consumer, away(each.lastSettledAt)]));
  const said = all.filter(each => each.name !== target && last.has(each.name)).flatMap(each => {
    const words = {queue: each.name, ago: last.get(each.name), count: number(each.messages)};
    return isAbsent(each) ? late(overdue) && !someone ? [['bad', t('route.goneQueue', words)]] : []
      : each.consumers === 0 && (each.messages > 0 || !someone) ? [[each.messages > 0 || late(overdue) ? 'bad' : '', t('route.stopped', words)]] : [];
  });
  const sent = Math.max(overdue?.phases.sent ?? 0, rows?.HELD ?? 0);
  if (storeKnown && problem === null && exchange?.problem === null && known?.tracking === 'full' && settled.length === 0 && sent > 0) {
    said.push([late(overdue) ? 'bad' : '', t('route.never', {count: number(sent), exchange: exchange.name, key: known.routingKey ?? '…'})]);
  }
  return said;
}

/** What is kept until a person decides. */
function waitsForPerson({parked, parkedCallbacks, unroutable}) {
  const rows = [...parked.filter(each => each.state === 'PARKED'), ...parkedCallbacks];
  const count = rows.reduce((sum, each) => sum + each.count, 0);
  return [
    ...(unroutable.count > 0 ? [['bad', t('route.lost', {count: number(unroutable.count) + (unroutable.more ? '+' : ''), reason: reasonOf(unroutable)})]] : []),
    ...(count > 0 ? [['bad', t('route.parked', {count: number(count), reason: reasonOf(rows[0])})]] : [])];
}

/** The server's words: one on a node that is down, or another's own, is there. */
const isAbsent = queue => queue?.problem?.startsWith('there is no queue') ?? false;
const isNoExchange = exchange => exchange?.problem?.startsWith('there is no exchange') ?? false;

/** Only the target has to be there and consumed: a consumer's name may be no queue's. */
function queues({queues: {problem, exchange, queues: all}, target, consumers: settled}) {
  const named = new Set(settled.map(each => each.consumer));
  const grave = (each, words) => each.name === target || named.has(each.name) && each.messages > 0 ? h('strong', {class: 'bad'}, words) : words;
  if (problem !== null) {
    return h('p', {class: 'flag bad'}, t('route.notAsked'));
  }
  const words = exchange === null ? t('route.noTarget') : t('route.byExchange');
  return [
    exchange === null ? null : h('p', {'data-exchange': exchange.name}, t('route.exchange'), ' ', h('code', {}, exchange.name), ' ',
      exchange.problem === null ? t('route.there') : h('strong', {class: 'bad'}, isNoExchange(exchange) ? t('holds.missing') : exchange.problem)),
    all.length === 0 ? h('p', {class: 'about'}, words) : table(t('route.queues'),
      [{title: t('route.queue')}, {title: t('holds.messages'), number: true}, {title: t('route.consuming'), number: true}],
      all.map(each => [h('span', {}, h('code', {}, each.name), each.name === target ? h('small', {}, ' ', t('route.target')) : null),
        ...(each.problem ? [grave(each, isAbsent(each) ? t('holds.missing') : each.problem), '–'] : [number(each.messages), each.consumers === 0 ? grave(each, t('route.nobody')) : number(each.consumers)])]))];
}

const consumers = ({consumers: all}) => all.length === 0 ? h('p', {class: 'about'}, t('route.nobodySettled')) : table(t('route.consumers'),
  [{title: t('route.consumer')}, {title: t('route.lastSettled')}, {title: t('route.upTo')}],
  all.map(each => [each.consumer, h('span', {class: 'when'}, time(each.lastSettledAt), ' ', h('small', {}, away(each.lastSettledAt))), time(each.settledDueUpTo)]));

const counts = ({counts: all}) => all === null ? h('p', {class: 'about'}, t('route.noRows')) : facts(STATES.map(state =>
  [stateWord(state), all[state] > 0 ? h('a', {href: link('messages', {state, route: name}), 'data-key': state}, number(all[state])) : number(all[state] ?? 0)]));

/** Parked and failed rows, callbacks without a row, and what lost its target. */
function givenUp({parked, parkedCallbacks, unroutable}) {
  const rows = [
    ...parked.map(each => [mark(each.state), h('span', {class: 'reason'}, reasonOf(each)), h('a', {href: link('messages', {state: each.state, route: name, reason: each.reason ?? ''}), 'data-key': `group ${each.state} ${each.reason}`}, number(each.count))]),
    ...parkedCallbacks.map(each => [mark('PARKED'), h('span', {class: 'reason'}, reasonOf(each)), h('a', {href: link('messages', {state: 'PARKED,FAILED'}), 'data-key': `callbacks ${each.reason}`}, number(each.count))]),
    ...(unroutable.count > 0 ? [[t('tile.unroutable'), t('unroutable.about'), h('a', {href: link('broker'), 'data-key': 'unroutable'}, number(unroutable.count) + (unroutable.more ? '+' : ''))]] : [])
  ];
  return rows.length === 0 ? h('p', {class: 'about'}, t('parked.empty')) : table(t('route.given-up'), [{title: t('message.state')}, {title: t('parked.reason')}, {title: t('parked.count'), number: true}], rows);
}

const day = ({lastDay}) => lastDay === null ? h('p', {class: 'about'}, t('history.empty')) : [
  facts([...['scheduled', 'settled', 'failed', 'cancelled'].map(each => [t(`history.${each}`), number(lastDay[each])]),
    [t('history.p50'), bounds(lastDay.latenessP50)], [t('history.p99'), bounds(lastDay.latenessP99)]]),
  h('p', {}, h('a', {href: link('overview', {historyRoute: name}), 'data-key': 'curve'}, t('route.curve')))];

function settings({settings: known, strategies}) {
  if (known === null) {
    return h('p', {class: 'about'}, t('route.unknown'));
  }
  const {exchange, routingKey, tracking, delays, defaultDelay, spread, isolation, retries, callback} = known;
  return facts([
    [t('message.target'), `${exchange || t('message.defaultExchange')} → ${routingKey ?? '–'}`], [t('message.tracking'), tracking],
    [t('route.strategy'), strategies.map(each => t(`strategy.${each}`)).join(', ')], [t('route.delays'), delays.join(', ')], [t('route.defaultDelay'), defaultDelay],
    [t('route.retries'), retries?.join(', ')], [t('route.spread'), spread], [t('route.isolation'), isolation], [t('route.callback'), callback]
  ].filter(([, value]) => value));
}

const facts = lines => h('dl', {class: 'facts'}, lines.map(([words, value]) => h('div', {}, h('dt', {}, words), h('dd', {}, value))));

/** One message of the reader's, to see whether it arrives. */
async function test() {
  const answer = await confirm({
    title: t('route.test.title', {name}), text: t('route.test.text'), yes: t('route.test.yes'), fields: [
      h('label', {}, h('span', {}, t('route.test.delay')), h('input', {name: 'delay', value: '5s', required: true, maxlength: 20, autocomplete: 'off'})),
      h('label', {}, h('span', {}, t('message.body')), h('input', {name: 'body', value: '{"test": true}', maxlength: 4000, autocomplete: 'off'}))]
  });
  if (answer === null) {
    return;
  }
  try {
    const done = await post('messages', {route: name, delay: answer.get('delay').trim(), headers: {'x-test': 'console'}, bodyBase64: base64(answer.get('body')), contentType: 'application/json'});
    page.say(true, t('route.test.done', {id: done.id, time: full(done.deliverAt)}));
    page.refresh(true);
  } catch (problem) {
    page.say(false, problem.detail || saidOfChange(problem));
  }
}

const base64 = text => btoa(String.fromCharCode(...new TextEncoder().encode(text)));
