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
 * build at the same time. The layers are kept for the next build; `buildah rmi --prune` removes
 * them.
 */
export async function buildImage(base: string, loadCommand: string, tag: string): Promise<string> {
  const [name = ''] = await buildImages(base, loadCommand, [tag]);
  return name;
}

/** Builds the image like {@link buildImage}, and loads it with several tags. Returns the names. */
export async function buildImages(base: string, loadCommand: string, tags: readonly string[]): Promise<string[]> {
  const names = tags.map((tag) => `localhost/helm-agent:${tag}`);
  const [first = ''] = names;
  const image = ['--builder', 'buildah', '--base', base, '--any-base', '--tag', first];
  const options = [...image, '--', '--network', 'host', '--layers'];
  // one build after the other, so that all but the first find its layers
  const lock = join(tmpdir(), 'helm-agent-image.lock');
  const build = [lock, process.execPath, 'tools/image.ts', ...options];
  await run('flock', build, { cwd: project, maxBuffer: 64 * 1024 * 1024 });
  for (const name of names) await loadImage(first, loadCommand, name);
  return names;
}

/** Loads an image of buildah into the cluster's nodes under a name, with the given command. */
export async function loadImage(image: string, loadCommand: string, name: string): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'helm-agent-image-'));
  const archive = join(folder, 'image.tar');
  try {
    await run('buildah', ['push', image, `docker-archive:${archive}:${name}`]);
    const [program = '', ...args] = loadCommand.split(' ');
    await run(program, [...args, archive]);
  } finally {
    await rm(folder, { recursive: true });
  }
}

/**
 * Loads an image with vim, less and top into the cluster's nodes: the base with Debian's packages,
 * which need a network while it is built for the first time.
 */
export async function loadShellTools(base: string, loadCommand: string): Promise<string> {
  const name = 'localhost/shell-tools:1';
  const isBuilt = await run('buildah', ['images', '-q', name]).then(
    () => true,
    () => false,
  );
  if (!isBuilt) {
    const container = (await run('buildah', ['from', base])).stdout.trim();
    const install = 'apt-get update && apt-get install -y --no-install-recommends vim-tiny less procps';
    await run('buildah', ['run', '--network', 'host', container, '--', 'sh', '-c', install], {
      maxBuffer: 64 * 1024 * 1024,
    });
    await run('buildah', ['commit', '--rm', container, name]);
  }
  await loadImage(name, loadCommand, name);
  return name;
}
