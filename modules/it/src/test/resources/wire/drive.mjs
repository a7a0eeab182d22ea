// SPDX-License-Identifier: Apache-2.0
// Calls what the example exports, as a test asks for it; the first argument is the example.
import { createInterface } from 'node:readline';
import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';

const [example, verb, ...rest] = process.argv.slice(2);
const wire = await import(pathToFileURL(example).href);
const amqp = createRequire(example)('amqplib');

async function ways() {
  const lines = createInterface({ input: process.stdin })[Symbol.asyncIterator]();
  JSON.parse((await lines.next()).value).forEach((delay) => wire.TTL_QUEUES.add(delay));
  const answers = [];
  for await (const line of lines) answers.push(JSON.stringify(wire.way(...JSON.parse(line))));
  console.log(answers.join('\n'));
}

async function send(uri, exchange, routingKey, delays, ttlQueues) {
  JSON.parse(ttlQueues).forEach((delay) => wire.TTL_QUEUES.add(delay));
  const connection = await amqp.connect(uri);
  try {
    const channel = await wire.openChannel(connection);
    await wire.bind(channel, exchange, routingKey);
    const held = JSON.parse(delays).map((delay) =>
      wire.delay(channel, exchange, routingKey, JSON.stringify({ delay }), delay, {
        contentType: 'application/json',
        contentEncoding: 'identity',
        headers: { tenant: 'acme', tries: 3, deep: { list: [1, 'two', true] } },
        priority: 4,
        correlationId: 'correlation',
        messageId: `${routingKey}-${delay}`,
        replyTo: 'replies',
        timestamp: 1_700_000_000,
        type: 'order.timeout.v1',
        appId: 'shop',
      }),
    );
    console.log((await Promise.all(held)).join('\n'));
  } finally {
    await connection.close();
  }
}

await { ways, send }[verb](...rest);
