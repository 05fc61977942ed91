# A cluster of PostgreSQL, if it is here, in the folder $CLUSTER; another user runs it if this one is root.
setup_file() {
    local bin as=''
    bin=$(ls -d /usr/lib/postgresql/*/bin 2>/dev/null | tail -n 1)
    export PATH=${bin:+$bin:}$PATH CLUSTER=
    command -v initdb >/dev/null || return 0
    CLUSTER=$(mktemp -d /tmp/rankpipe-sql.XXXXXX)
    if [ "$(id -u)" = 0 ]; then
        chown nobody "$CLUSTER"
        as='setpriv --reuid=nobody --regid=nogroup --clear-groups'
    fi
    export AS=$as
    cd / # which any user may read
    $AS initdb -D "$CLUSTER/data" -U me -A trust -E UTF8 --locale=C -N
    $AS pg_ctl -D "$CLUSTER/data" -w -l "$CLUSTER/log" -o "-F -c listen_addresses= -k $CLUSTER" start 3>&-
}

teardown_file() {
    [ -n "$CLUSTER" ] || return 0
    cd /
    $AS pg_ctl -D "$CLUSTER/data" -m immediate stop
    rm -rf "$CLUSTER"
}

# postgres [OPTION...] < SQL: what it prints, in an empty schema.
postgres() {
    { printf 'SET client_min_messages = error;\nDROP SCHEMA public CASCADE;\nCREATE SCHEMA public;\n' && cat; } |
        LC_ALL=C.UTF-8 psql -h "$CLUSTER" -U me -d postgres -XqAtF $'\t' -v ON_ERROR_STOP=1 "$@"
}
