#!/bin/sh
# What the broker's container runs: completes torn snapshots, then starts RabbitMQ as its image does.
#
# A quorum queue writes a snapshot as two files: snapshot.dat, then indexes, the list of the messages it
# still holds. Killed between them, RabbitMQ 4.3.0 to 4.3.6 take the missing list for an empty one and
# forget the messages. An empty file is a corrupt list, which they write anew from snapshot.dat.
#
# It does no harm by the source of ra 3.1.6 to 3.1.10, which these use (ra_snapshot:find_snapshots/1).
# A list that is there stays as it is. A snapshot that holds nothing has no list either, and read anew it is
# the empty one. A snapshot.dat that fails its checksum is deleted with its folder, and the snapshot before
# it counts. Brokers before 4.3 (ra 2) never look at such a file.
set -eu

data="${RABBITMQ_MNESIA_BASE:-/var/lib/rabbitmq/mnesia}"

if [ -d "$data" ]; then
  # Under another name first, and as a copy: the list belongs to whom the snapshot belongs.
  find "$data" -path '*/quorum/*/snapshots/*/snapshot.dat' -type f -exec sh -c '
    set -eu
    for snapshot; do
      list="${snapshot%/*}/indexes"
      if [ ! -e "$list" ] && [ ! -L "$list" ]; then
        cp -p "$snapshot" "$list.new"
        : >"$list.new"
        mv "$list.new" "$list"
        echo "Without a list of messages, to be made anew by RabbitMQ: $snapshot"
      fi
    done' sh {} + || {
    echo "Snapshots in $data could not be completed. RabbitMQ is not started: it would forget messages." >&2
    exit 1
  }
fi

exec docker-entrypoint.sh "$@"
