"""Programs and logs in clusters through a helm-agent control plane, with Python 3.9 alone.

    helm_agent.py exec AGENT NAMESPACE POD PROGRAM [ARGUMENT ...]   # stdin is sent to it
    helm_agent.py logs AGENT NAMESPACE POD

HELM_AGENT_SERVER is the URL of the control plane, HELM_AGENT_TOKEN the token of a user.
"""
import base64, http.client, json, os, struct, sys, threading, urllib.parse

server = urllib.parse.urlsplit(os.environ.get("HELM_AGENT_SERVER", "http://127.0.0.1:8088"))
token = os.environ.get("HELM_AGENT_TOKEN")
auth = {"Authorization": "Bearer " + token} if token else {}

def request(method, path, body=None, headers={}):
    kind = http.client.HTTPSConnection if server.scheme == "https" else http.client.HTTPConnection
    connection = kind(server.netloc)
    text = None if body is None else json.dumps(body)
    connection.request(method, path, text, {"Content-Type": "application/json", **auth, **headers})
    return connection, connection.getresponse()

def send(agent, command, payload):
    """Sends a command, and returns its key."""
    _, response = request("POST", f"/api/agents/{urllib.parse.quote(agent, '')}/commands", {"type": command, "payload": payload})
    answer = json.load(response)
    if response.status != 202:
        raise SystemExit(f"{answer['error']['message']} ({answer['error']['code']})")
    return urllib.parse.quote(answer["key"], "")

def frame(opcode, data):
    """Returns a message of a WebSocket, masked as RFC 6455 wants it of clients."""
    size = len(data)
    length = bytes([0x80 | size]) if size < 126 else b"\xfe" + struct.pack(">H", size)
    mask = os.urandom(4)
    key = (mask * (size // 4 + 1))[:size]
    masked = (int.from_bytes(data, "big") ^ int.from_bytes(key, "big")).to_bytes(size, "big")
    return bytes([0x80 | opcode]) + length + mask + masked

def run(agent, payload, stdin, stdout, stderr):
    """Runs a program, and returns its result: a dict with exitCode or error."""
    key = send(agent, "exec_pod", {**payload, "stdin": True})
    upgrade = {"Connection": "Upgrade", "Upgrade": "websocket", "Sec-WebSocket-Version": "13",
               "Sec-WebSocket-Key": base64.b64encode(os.urandom(16)).decode()}
    connection, response = request("GET", f"/api/commands/{key}/stream", headers=upgrade)
    if response.status != 101:
        raise SystemExit(f"the control plane responded with {response.status}")
    socket, incoming, lock = connection.sock, response.fp, threading.Lock()
    def write(opcode, data):
        with lock:
            socket.sendall(frame(opcode, data))
    def pass_input():
        while data := stdin.read(32768):
            write(2, b"\0" + data)  # channel 0
        write(1, b'{"type":"end"}')
    threading.Thread(target=pass_input, daemon=True).start()
    while True:  # the control plane sends each message in one frame
        opcode, size = incoming.read(1)[0] & 15, incoming.read(1)[0]
        if size > 125:
            size = int.from_bytes(incoming.read(2 if size == 126 else 8), "big")
        data = incoming.read(size)
        if opcode == 2:
            (stderr if data[0] == 2 else stdout).write(data[1:])
            (stderr if data[0] == 2 else stdout).flush()
        elif opcode == 1 and (message := json.loads(data))["type"] == "result":
            return message["payload"]
        elif opcode == 9:
            write(10, data)  # a pong for the ping
        elif opcode == 8:
            raise SystemExit("the session has ended without a result")

def logs(agent, payload):
    """Yields the pod, the container and the bytes of each record of a log."""
    key = send(agent, "pod_logs", payload)
    _, response = request("GET", f"/api/commands/{key}/stream")
    if response.status != 200:
        raise SystemExit(json.load(response)["error"]["message"])
    while line := response.readline():
        record = json.loads(line)
        cursor = record.get("cursor", {})  # send it in "cursors" to continue after this record
        yield cursor.get("pod"), cursor.get("container"), response.read(record.get("size", 0))

if __name__ == "__main__":
    if len(sys.argv) < 5:
        raise SystemExit(__doc__)
    verb, agent, namespace, pod, *program = sys.argv[1:]
    target = {"namespace": namespace, "name": pod}
    if verb == "logs":
        for _, _, content in logs(agent, {**target, "follow": True}):
            sys.stdout.buffer.write(content)
            sys.stdout.flush()
    else:
        stdin = open(0, "rb", buffering=0)  # no lock that its thread holds when the program ends
        end = run(agent, {**target, "command": program}, stdin, sys.stdout.buffer, sys.stderr.buffer)
        if not end["ok"]:
            raise SystemExit(f"{end['error']['message']} ({end['error']['code']})")
        sys.exit(end["exitCode"])
