import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ExecutionContext } from 'ava';

/** Returns the path of a file in a folder that is removed when the test ends. */
export async function temporaryFile(t: ExecutionContext, name = 'plane.db'): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'helm-agent-'));
  t.teardown(() => rm(folder, { recursive: true, force: true }));
  return join(folder, name);
}
