export interface HeartbeatTimes {
  /** Interval between pings. `Infinity`: none are sent, because the peer sends them. */
  pingIntervalMs: number;
  /** A connection without any frame for this long is dead. */
  silenceLimitMs: number;
}

export const defaultHeartbeat: HeartbeatTimes = { pingIntervalMs: 10_000, silenceLimitMs: 25_000 };

/** Of a control plane whose agents do not ping it. */
export const defaultFleetHeartbeat: HeartbeatTimes = { pingIntervalMs: 30_000, silenceLimitMs: 60_000 };

/** The part of a WebSocket that a heartbeat needs. */
export interface PingableSocket {
  /** Whether nothing is read; then the peer cannot be silent. Default: false. */
  readonly isPaused?: boolean;
  ping(): void;
  on(event: 'message' | 'ping' | 'pong', listener: () => void): unknown;
}

/** Returns a socket whose peer cannot be silent while it has not taken what was sent. */
export function pausedWhileUnsent(
  socket: PingableSocket & { readonly isPaused: boolean; readonly bufferedAmount: number },
): PingableSocket {
  return {
    get isPaused() {
      return socket.isPaused || socket.bufferedAmount > 0;
    },
    ping: () => socket.ping(),
    on: (event, listener) => socket.on(event, listener),
  };
}

/**
 * Pings a peer and watches for its silence, because TCP does not report a peer that has gone away.
 * Calls `onDead` once, and stops pinging then. Returns a function that stops earlier.
 */
export function keepAlive(socket: PingableSocket, times: HeartbeatTimes, onDead: () => void): () => void {
  let stopped = false;
  const stop = () => {
    stopped = true;
    clearInterval(pings);
    clearTimeout(silence);
  };
  const { pingIntervalMs } = times;
  const pings = pingIntervalMs === Infinity ? undefined : setInterval(() => socket.ping(), pingIntervalMs);
  const onSilence = () => {
    if (socket.isPaused === true) {
      silence = startSilence();
      return;
    }
    stop();
    onDead();
  };
  const startSilence = () => setTimeout(onSilence, times.silenceLimitMs);
  let silence = startSilence();
  const onTraffic = () => {
    if (stopped) return;
    clearTimeout(silence);
    silence = startSilence();
  };
  socket.on('message', onTraffic);
  socket.on('ping', onTraffic);
  socket.on('pong', onTraffic);
  return stop;
}
