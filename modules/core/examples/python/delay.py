#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Delays messages through Pocketwatch's queues with nothing but pika; the page wire-format.md explains it.

delay.py amqp://guest:guest@127.0.0.1/%2f orders order.timeout 90500 '{"order": 4711}'
"""
import hashlib
import re
import sys
import time
import uuid

import pika

HANDS = [("1d", 86_400_000), ("1h", 3_600_000), ("1m", 60_000), ("1s", 1_000), ("10ms", 10)]
LONGEST = 31 * 86_400_000
TTL_QUEUES = set()  # the 'delays' of the routes in pocketwatch.yml, in ms


def word(name):
    text = re.sub(rb"[^A-Za-z0-9_-]", lambda byte: b"~%02x" % byte[0][0], name.encode()).decode()
    return text if len(text) <= 180 else "~h" + hashlib.sha256(name.encode()).hexdigest()


def way(exchange, delay_ms, resolution_ms=10):
    """Where to publish it, and the keys that steer it from there; none if it is not to be held."""
    if delay_ms <= 0:
        return exchange, []
    if delay_ms > LONGEST:
        raise ValueError(f"a delay of {delay_ms} ms; the longest is {LONGEST}")
    target = f"pw-to-{word(exchange)}" if exchange else "pw-queues"
    if delay_ms in TTL_QUEUES:
        return "pocketwatch.ttl.quorum", [f"pw-ttl-{delay_ms}", target]
    rest = -(-delay_ms // resolution_ms) * resolution_ms  # rounded up: never early
    steps = []
    for (hand, unit), after in zip(HANDS, [f"-{hand}" for hand, _ in HANDS[1:]] + [""]):
        position, rest = divmod(rest, unit)
        if position or steps:
            steps.append(f"pw-{hand}-{position or '0' + after}")
    return "pocketwatch.wheel.quorum." + steps[0].split("-")[1], [*steps, target]


def bind(channel, exchange, routing_key):
    """Before the first message to a target; fails, naming it, if there is none."""
    if exchange:
        channel.exchange_bind(exchange, "pocketwatch.deliver", f"pw-to-{word(exchange)}")
    else:
        channel.queue_bind(routing_key, "pocketwatch.queues", routing_key)


def delay(channel, exchange, routing_key, body, delay_ms, headers=None, **properties):
    """Returns the id of the message once the broker holds it. UnroutableError and NackError say that
    it is not held; after any other error, such as a lost connection, it may be: if you send it again,
    then with the message_id you gave it the first time."""
    now = time.time_ns() // 1_000_000
    first, steering = way(exchange, delay_ms)
    properties = {"delivery_mode": 2, "message_id": str(uuid.uuid4()), **properties}
    headers = {**(headers or {}), "pocketwatch-deliver-at": now + delay_ms}
    if steering:
        headers["pocketwatch-exchange"] = exchange
        headers["BCC"] = steering + headers.get("BCC", [])
    published = pika.BasicProperties(**properties, headers=headers)
    channel.basic_publish(first, routing_key, body, published, mandatory=True)
    return properties["message_id"]


if __name__ == "__main__":
    uri, exchange, routing_key, delay_ms, body = sys.argv[1:]
    with pika.BlockingConnection(pika.URLParameters(uri)) as connection:
        channel = connection.channel()
        channel.confirm_delivery()
        bind(channel, exchange, routing_key)
        print(delay(channel, exchange, routing_key, body, int(delay_ms)))
