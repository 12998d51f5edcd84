# The functions of a page's shell. $BOOK is the folder of the run.

# `patrol serve` in a terminal of its own: it takes the place of the server before it, and goes on in
# the background once it answers.
book_serve() {
    book_stop
    : >"$BOOK/log"
    # What the pages show stays as it is.
    case " $* " in *" --demo "*) set -- "$@" --demo-walk=false ;; esac
    patrol serve "$@" >"$BOOK/served" 2>"$BOOK/log" </dev/null &
    book_server=$!
    local waited=0
    until grep -q listening "$BOOK/log"; do
        if ! kill -0 "$book_server" 2>/dev/null || [ "$waited" -gt 1200 ]; then
            cat "$BOOK/log"
            book_server=
            return 1
        fi
        waited=$((waited + 1))
        sleep 0.05
    done
    case " $* " in *" --demo "*)
        # The token is printed after the address is bound; a store that is in use gets none.
        until [ "$(wc -l <"$BOOK/served")" -ge 2 ] || [ "$waited" -gt 1200 ]; do
            waited=$((waited + 1))
            sleep 0.05
        done
        grep '^ptl_' "$BOOK/served" >"$BOOK/token" || true ;;
    esac
    cat "$BOOK/served"
}

# Ctrl-C in the terminal of the server.
book_stop() {
    if [ -n "${book_server:-}" ]; then
        kill -INT "$book_server"
        # A background process of a shell ignores Ctrl-C unless it asks for it, as the program does.
        wait "$book_server"
        book_server=
    fi
}
