# pki.sh: sourced. Certificates and kubeconfigs below DIR, free ports, and waiting.
key() { openssl ecparam -name prime256v1 -genkey -noout -out "$DIR/pki/$1.key"; } # NAME
certificate() { # NAME SUBJECT EXTENSION...
  local name=$1 subject=$2
  shift 2
  key "$name"
  openssl req -new -key "$DIR/pki/$name.key" -subj "$subject" |
    openssl x509 -req -CA "$DIR/pki/ca.crt" -CAkey "$DIR/pki/ca.key" -set_serial "0x$(openssl rand -hex 8)" \
      -days 30 -extfile <(printf '%s\n' "$@") -out "$DIR/pki/$name.crt" 2>/dev/null
}
kubeconfig() { # FILE CERTIFICATE; the API server's port is $API
  cat >"$DIR/$1" <<K
apiVersion: v1
kind: Config
clusters: [{name: lab, cluster: {server: "https://127.0.0.1:$API", certificate-authority: "$DIR/pki/ca.crt"}}]
users: [{name: lab, user: {client-certificate: "$DIR/pki/$2.crt", client-key: "$DIR/pki/$2.key"}}]
contexts: [{name: lab, context: {cluster: lab, user: lab}}]
current-context: lab
K
}

free_ports() { # COUNT: below the ports that outgoing connections take, so that none is in the way
  python3 - "$1" <<'P'
import random, socket, sys
free = []
for port in random.sample(range(20000, 32000), 500):
    with socket.socket() as candidate:
        if len(free) < int(sys.argv[1]) and candidate.connect_ex(("127.0.0.1", port)):
            free.append(port)
print(*free)
P
}

await() { # PID WHAT COMMAND...: until the command succeeds; a minute at most
  local pid=$1 what=$2
  shift 2
  for _ in $(seq 240); do
    "$@" >/dev/null 2>&1 && return
    kill -0 "$pid" 2>/dev/null || break
    sleep 0.25
  done
  echo "$what did not come up; the ends of the logs:" >&2
  tail -n 15 "$DIR"/log/*.log >&2
  return 1
}
