# Runs a server, "$@", until standard input closes, which happens however the benchmark ends. Then, or
# when the server ends by itself, the whole process group is killed, including this shell.
("$@" </dev/null; kill -KILL 0) &
cat >/dev/null
kill -KILL 0
