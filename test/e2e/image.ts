import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const run = promisify(execFile);
const project = fileURLToPath(new URL('../..', import.meta.url));

/**
 * Builds the project's image with buildah on the given base and loads it into the cluster's nodes
 * with the given command. Returns its name. Each test file has a tag of its own, because several
 * build at the same time.
 */
export async function buildImage(base: string, loadCommand: string, tag: string): Promise<string> {
  const name = `localhost/helm-agent:${tag}`;
  const folder = await mkdtemp(join(tmpdir(), 'helm-agent-image-'));
  const archive = join(folder, 'image.tar');
  try {
    const options = ['--builder', 'buildah', '--base', base, '--any-base', '--tag', name, '--', '--network', 'host'];
    await run(process.execPath, ['tools/image.ts', ...options], { cwd: project, maxBuffer: 64 * 1024 * 1024 });
    await run('buildah', ['push', name, `docker-archive:${archive}:${name}`]);
    const [program = '', ...args] = loadCommand.split(' ');
    await run(program, [...args, archive]);
    await run('buildah', ['rmi', name]);
  } finally {
    await rm(folder, { recursive: true });
  }
  return name;
}
