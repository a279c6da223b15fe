import type { Duplex } from 'node:stream';

/**
 * Calls `onExceeded` once the peer has sent more bytes. Returns a function that stops counting.
 */
export function limitBytes(stream: Duplex, maxBytes: number, onExceeded: () => void): () => void {
  let bytes = 0;
  const count = (chunk: Buffer) => {
    bytes += chunk.length;
    if (bytes <= maxBytes) return;
    stop();
    onExceeded();
  };
  const stop = () => void stream.off('data', count);
  stream.on('data', count);
  return stop;
}
