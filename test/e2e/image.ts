import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const run = promisify(execFile);
const project = fileURLToPath(new URL('../..', import.meta.url));
const name = 'localhost/helm-agent:e2e';

/**
 * Builds the project's image with buildah on the given base and loads it into the cluster's nodes
 * with the given command. Returns its name.
 */
export async function buildImage(base: string, loadCommand: string): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'helm-agent-image-'));
  const archive = join(folder, 'image.tar');
  try {
    await run('buildah', ['bud', '--network', 'host', '--build-arg', `BASE=${base}`, '--tag', name, project]);
    await run('buildah', ['push', name, `docker-archive:${archive}:${name}`]);
    const [program = '', ...args] = loadCommand.split(' ');
    await run(program, [...args, archive]);
    await run('buildah', ['rmi', name]);
  } finally {
    await rm(folder, { recursive: true });
  }
  return name;
}
