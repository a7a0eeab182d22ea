// SPDX-License-Identifier: Apache-2.0
// Delays messages through Pocketwatch's queues with nothing but amqplib; the page wire-format.md explains it.
//
// node delay.mjs amqp://guest:guest@127.0.0.1/%2f orders order.timeout 90500 '{"order": 4711}'
import { createHash, randomUUID } from 'node:crypto';
import { argv } from 'node:process';
import { fileURLToPath } from 'node:url';
import amqp from 'amqplib';

const HANDS = { '1d': 86_400_000, '1h': 3_600_000, '1m': 60_000, '1s': 1_000, '10ms': 10 };
const LONGEST = 31 * 86_400_000;
export const TTL_QUEUES = new Set(); // the 'delays' of the routes in pocketwatch.yml, in ms

function word(name) {
  const plain = /[A-Za-z0-9_-]/;
  const escape = (byte) => '~' + byte.toString(16).padStart(2, '0');
  const text = Array.from(Buffer.from(name), (byte) => {
    const char = String.fromCharCode(byte);
    return plain.test(char) ? char : escape(byte);
  }).join('');
  return text.length <= 180 ? text : '~h' + createHash('sha256').update(name).digest('hex');
}

/** Where to publish it, and the keys that steer it from there; none if it is not to be held. */
export function way(exchange, delayMs, resolutionMs = 10) {
  if (delayMs <= 0) return [exchange, []];
  if (delayMs > LONGEST) throw new RangeError(`a delay of ${delayMs} ms; the longest is ${LONGEST}`);
  const target = exchange ? `pw-to-${word(exchange)}` : 'pw-queues';
  if (TTL_QUEUES.has(delayMs)) {
    return ['pocketwatch.ttl.quorum', [`pw-ttl-${delayMs}`, target]];
  }
  let rest = Math.ceil(delayMs / resolutionMs) * resolutionMs; // rounded up: never early
  const steps = [];
  const hands = Object.entries(HANDS);
  for (const [i, [hand, unit]] of hands.entries()) {
    const position = Math.floor(rest / unit);
    rest %= unit;
    const after = i + 1 < hands.length ? `0-${hands[i + 1][0]}` : '0';
    if (position || steps.length) steps.push(`pw-${hand}-${position || after}`);
  }
  return ['pocketwatch.wheel.quorum.' + steps[0].split('-')[1], [...steps, target]];
}

/** Before the first message to a target; fails, naming it, if there is none. */
export function bind(channel, exchange, routingKey) {
  return exchange
    ? channel.bindExchange(exchange, 'pocketwatch.deliver', `pw-to-${word(exchange)}`)
    : channel.bindQueue(routingKey, 'pocketwatch.queues', routingKey);
}

const returned = new Set();

/** A channel for delay(). The broker says that it returns a message before it confirms it. */
export async function openChannel(connection) {
  const channel = await connection.createConfirmChannel();
  channel.on('return', ({ properties }) => returned.add(properties.messageId));
  return channel;
}

/** Resolves to the id of the message once the broker holds it. Rejects if it was returned or refused,
 *  and then it is not held; or with 'channel closed', and then it may be: if you send it again, then
 *  with the messageId you gave it the first time. */
export function delay(channel, exchange, routingKey, body, delayMs, options = {}) {
  const id = options.messageId ?? randomUUID();
  const [first, steering] = way(exchange, delayMs);
  const headers = { ...options.headers, 'pocketwatch-deliver-at': Date.now() + delayMs };
  if (steering.length > 0) {
    headers['pocketwatch-exchange'] = exchange;
    headers.BCC = [...steering, ...(headers.BCC ?? [])];
  }
  const properties = { persistent: true, messageId: id, ...options, headers, mandatory: true };
  return new Promise((resolve, reject) =>
    channel.publish(first, routingKey, Buffer.from(body), properties, (problem) => {
      if (problem) reject(problem);
      else if (returned.delete(id)) reject(new Error(`${id} was returned: no queue takes it`));
      else resolve(id);
    }),
  );
}

if (argv[1] === fileURLToPath(import.meta.url)) {
  const [uri, exchange, routingKey, delayMs, body] = argv.slice(2);
  const connection = await amqp.connect(uri);
  const channel = await openChannel(connection);
  channel.on('error', ({ message }) => console.error(message));
  try {
    await bind(channel, exchange, routingKey);
    console.log(await delay(channel, exchange, routingKey, body, Number(delayMs)));
  } finally {
    await connection.close();
  }
}
