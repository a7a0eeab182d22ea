#!/bin/sh
# Starts what is given, unless others could reach it with a password that everybody knows.
#   BIND_ADDRESS  the address that the ports are published on
#   NEEDED        variables that must have been set for any address but loopback
#   SET           those of them that are
set -eu

case $BIND_ADDRESS in
  127.* | localhost | ::1 | '[::1]') ;;
  *)
    for variable in $NEEDED; do
      case " $SET " in
        *" $variable "*) ;;
        *)
          echo "BIND_ADDRESS=$BIND_ADDRESS publishes this stack, and $variable has its default, which everybody knows. Set it." >&2
          exit 1
          ;;
      esac
    done
    ;;
esac

exec "$@"
