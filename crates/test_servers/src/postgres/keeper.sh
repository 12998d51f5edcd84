# Ends a server when nobody uses it any more. Whoever uses it has a file in the folder `users`,
# named by the number of the process; one that wants to and finds no such folder starts a server anew.
# $1: the folder of the server; $2: for how many seconds nobody has to use it.
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
        # Somebody may have come in at the last moment.
        if [ -z "$(ls leaving)" ]; then break; fi
        mv leaving users
        idle=0
    fi
    sleep 1
done
server=$(head -n 1 data/postmaster.pid 2>/dev/null)
if [ "$server" ]; then
    # At once, without a checkpoint, frozen or not.
    kill -QUIT "$server" 2>/dev/null
    kill -CONT "$server" 2>/dev/null
    tries=0
    while kill -0 "$server" 2>/dev/null && [ "$tries" -lt 100 ]; do sleep 0.1; tries=$((tries + 1)); done
    kill -KILL "$server" 2>/dev/null
fi
cd / && rm -rf "$1"
