# Cleans up after `make chaos`, however that ends: its standard input is a pipe that the harness holds
# and never writes to. $1: the directory of the run; its `processes` has a file for each process that
# was started, named by the number of the process.
cat >/dev/null
for file in "$1"/processes/*; do
    if [ -e "$file" ]; then kill -KILL "${file##*/}" 2>/dev/null; fi
done
rm -rf "$1"
