# Cleans up after `make chaos`, however it ends: standard input is a pipe that closes when the harness
# ends. $1: the directory of the run; its folder `processes` has a file for each started process, named by
# its process id.
cat >/dev/null
for file in "$1"/processes/*; do
    if [ -e "$file" ]; then kill -KILL "${file##*/}" 2>/dev/null; fi
done
rm -rf "$1"
