import { lookup } from 'node:dns/promises';
import { setTimeout as sleep } from 'node:timers/promises';

/** Time limit of a lookup, in milliseconds. */
const timeout = 10_000;

/**
 * Returns the addresses of a host, as the system resolves it, in its order. Empty if it has none,
 * or if that takes too long. Default of `signal`: only the time limit ends it.
 */
export async function resolveHost(name: string, signal?: AbortSignal): Promise<readonly string[]> {
  if (name === '') return [];
  const ended = new AbortController();
  const late = sleep(timeout, [], { signal: signal ? AbortSignal.any([signal, ended.signal]) : ended.signal });
  const found = lookup(name, { all: true, order: 'verbatim' }).then(
    (addresses) => addresses.map(({ address }) => address),
    () => [],
  );
  try {
    return await Promise.race([found, late]);
  } finally {
    ended.abort();
    late.catch(() => undefined); // nothing waits for the time limit any more
  }
}
