# hosts: machines for tests, each an sshd on loopback, run as the user who runs the tests.

# alive_below PID: it and all that it has started, a number a line.
alive_below() {
    ps -A -o pid= -o ppid= | awk -v root="$1" '
        { parent[$1] = $2 }
        END {
            for (pid in parent) {
                for (at = pid; at in parent && at != root; ) at = parent[at]
                if (at == root) print pid
            }
        }'
}

# host NAME [PATIENCE]: an sshd of its own, its process in the file NAME.pid; seconds without an
# answer after which it is given up, many, as other work on this machine may hold an answer up. Who
# logs in has his home here: the profile in his own may take what all of his shells share, a lock
# for instance, and keep it when the host dies.
host() {
    local port sshd _
    sshd=$(command -v sshd || command -v /usr/sbin/sshd) || skip "no sshd here (Debian: openssh-server)"
    command -v ssh || skip "no ssh here (Debian: openssh-client)"
    if [ "$(id -u)" = 0 ]; then mkdir -p /run/sshd || skip "sshd wants /run/sshd, and it cannot be made"; fi
    [ -f key ] || { ssh-keygen -q -t ed25519 -N '' -f key && ssh-keygen -q -t ed25519 -N '' -f hostkey; }
    for _ in 1 2 3 4 5; do
        port=$((20000 + RANDOM % 12000))
        printf '%s\n' "Port $port" "ListenAddress 127.0.0.1" "HostKey $PWD/hostkey" "PidFile none" \
            "AuthorizedKeysFile $PWD/key.pub" "StrictModes no" "UsePAM no" "MaxStartups 100" \
            "SetEnv HOME=$PWD" "PermitUserRC no" >"$1.sshd"
        setsid "$sshd" -f "$PWD/$1.sshd" -D -E "$PWD/$1.log" </dev/null >/dev/null 2>&1 3>&- &
        echo $! >"$1.pid"
        disown
        printf '%s\n' "Host $1" "    Port $port" "    ConnectTimeout ${2:-60}" \
            "    ServerAliveInterval ${2:-60}" "    ServerAliveCountMax 1" >"$1.ssh"
        { cat ./*.ssh; printf '%s\n' "Host *" "    HostName 127.0.0.1" "    IdentityFile $PWD/key" \
            "    IdentitiesOnly yes" "    UserKnownHostsFile $PWD/known" "    StrictHostKeyChecking no" \
            "    BatchMode yes" "    LogLevel ERROR"; } >ssh_config
        export PARALLEL_SSH="ssh -F $PWD/ssh_config"
        greets "$1" && return
        end "$1" KILL
    done
    skip "sshd cannot be run and reached here: $(tail -n 1 "$1.log") $(tail -n 1 greeting)"
}

# greets HOST: waits until it does, or has gone, for its port was another's.
greets() {
    local _
    for _ in {1..100}; do
        [ "$(ssh -F ssh_config "$1" echo hello 2>greeting </dev/null)" = hello ] && return
        kill -0 "$(cat "$1.pid")" || return
        sleep 0.1
    done
    return 1
}

# end HOST SIGNAL: the whole of it gets the signal at once, what runs there included.
end() {
    local all
    kill -STOP "$(cat "$1.pid")" 2>/dev/null || return 0
    all=$(alive_below "$(cat "$1.pid")")
    # shellcheck disable=SC2086
    kill -"$2" $all 2>/dev/null || true
}

# end_hosts: ends them all, for teardown.
end_hosts() {
    local file
    for file in ./*.pid; do
        [ -f "$file" ] || continue
        file=${file%.pid}
        end "${file#./}" KILL
    done
}
