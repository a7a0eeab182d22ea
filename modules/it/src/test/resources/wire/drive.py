# SPDX-License-Identifier: Apache-2.0
"""Calls what the example exports, as a test asks for it; the first argument is the example."""
import json
import os
import sys

example, verb, *rest = sys.argv[1:]
sys.path.insert(0, os.path.dirname(example))
import delay as wire
import pika


def ways():
    wire.TTL_QUEUES.update(json.loads(sys.stdin.readline()))
    for line in sys.stdin:
        print(json.dumps(wire.way(*json.loads(line))))


def send(uri, exchange, routing_key, delays, ttl_queues):
    wire.TTL_QUEUES.update(json.loads(ttl_queues))
    with pika.BlockingConnection(pika.URLParameters(uri)) as connection:
        channel = connection.channel()
        channel.confirm_delivery()
        wire.bind(channel, exchange, routing_key)
        for delay_ms in json.loads(delays):
            properties = {
                "content_type": "application/json",
                "content_encoding": "identity",
                "headers": {"tenant": "acme", "tries": 3, "deep": {"list": [1, "two", True]}},
                "priority": 4,
                "correlation_id": "correlation",
                "message_id": f"{routing_key}-{delay_ms}",
                "reply_to": "replies",
                "timestamp": 1_700_000_000,
                "type": "order.timeout.v1",
                "app_id": "shop",
            }
            body = json.dumps({"delay": delay_ms})
            print(wire.delay(channel, exchange, routing_key, body, delay_ms, **properties))


{"ways": ways, "send": send}[verb](*rest)
