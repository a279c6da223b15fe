export interface ListenAddress {
  host: string;
  port: number;
}

/**
 * Reads `PORT`, `HOST:PORT` or `[IPV6]:PORT`. The default host is 127.0.0.1. Returns undefined if
 * the text has another form.
 */
export function parseListenAddress(text: string): ListenAddress | undefined {
  const match = /^(?:(?:\[([0-9a-fA-F:.]+)\]|([^\s:[\]/]+)):)?(\d{1,5})$/.exec(text);
  const port = Number(match?.[3]);
  if (!match || port > 65_535) return undefined;
  return { host: match[1] ?? match[2] ?? '127.0.0.1', port };
}
