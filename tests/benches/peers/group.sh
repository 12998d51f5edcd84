# Runs a server, "$@", until standard input ends, which it does however the bench ends. Then, or when
# the server ends by itself, all of its processes are killed, this one too.
("$@" </dev/null; kill -KILL 0) &
cat >/dev/null
kill -KILL 0
