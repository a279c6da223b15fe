import { once } from 'node:events';

/**
 * Resolves to the name of the signal that asks this process to stop. A second signal ends the
 * process immediately.
 */
export async function stopSignal(): Promise<string> {
  const stopped = new AbortController();
  const { signal } = stopped;
  try {
    return await Promise.race(
      ['SIGTERM', 'SIGINT'].map(async (name) => {
        await once(process, name, { signal });
        return name;
      }),
    );
  } finally {
    stopped.abort();
    for (const name of ['SIGTERM', 'SIGINT']) process.once(name, () => process.exit(1));
  }
}
