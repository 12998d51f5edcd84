# Stops a server that is no longer used. Each process that uses it has a file in the folder `users`, named
# by its process id; a process that does not find this folder starts a new server.
# $1: the folder of the server; $2: the seconds without users after which it stops.
trap '' HUP INT TERM
cd "$1" || exit 0
echo $$ >keeper
idle=0
while [ -d users ]; do
    used=
    for user in users/*; do
        if [ ! -e "$user" ]; then continue; fi
        if kill -0 "${user#users/}" 2>/dev/null; then used=yes; else rm -f "$user"; fi
    done
    if [ "$used" ]; then idle=0; else idle=$((idle + 1)); fi
    if [ "$idle" -gt "$2" ]; then
        mv users leaving
        # A new user may have registered at the last moment.
        if [ -z "$(ls leaving)" ]; then break; fi
        mv leaving users
        idle=0
    fi
    sleep 1
done
server=$(head -n 1 data/postmaster.pid 2>/dev/null)
if [ "$server" ]; then
    # Stops immediately, without a checkpoint, also when suspended.
    kill -QUIT "$server" 2>/dev/null
    kill -CONT "$server" 2>/dev/null
    tries=0
    while kill -0 "$server" 2>/dev/null && [ "$tries" -lt 100 ]; do sleep 0.1; tries=$((tries + 1)); done
    kill -KILL "$server" 2>/dev/null
fi
cd / && rm -rf "$1"
