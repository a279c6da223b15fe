/** How often a peer is pinged. */
const PING_INTERVAL_MS = 10_000;

/** A connection without any traffic for so long is dead. */
const SILENCE_LIMIT_MS = 25_000;

export interface HeartbeatTimes {
  pingIntervalMs: number;
  silenceLimitMs: number;
}

export const defaultHeartbeat: HeartbeatTimes = {
  pingIntervalMs: PING_INTERVAL_MS,
  silenceLimitMs: SILENCE_LIMIT_MS,
};

/** A WebSocket, as far as its pulse is concerned. */
export interface Pulse {
  ping(): void;
  on(event: 'message' | 'ping' | 'pong', listener: () => void): unknown;
}

/**
 * Pings a peer and watches for its silence, since TCP says nothing of a peer that is gone. `onDead` is called once, and then pinging ends.
 * Returns the function that ends it earlier.
 */
export function keepAlive(socket: Pulse, times: HeartbeatTimes, onDead: () => void): () => void {
  let stopped = false;
  const stop = () => {
    stopped = true;
    clearInterval(pings);
    clearTimeout(silence);
  };
  const pings = setInterval(() => socket.ping(), times.pingIntervalMs);
  const silence = setTimeout(() => {
    stop();
    onDead();
  }, times.silenceLimitMs);
  const heard = () => {
    if (!stopped) silence.refresh();
  };
  socket.on('message', heard);
  socket.on('ping', heard);
  socket.on('pong', heard);
  return stop;
}
