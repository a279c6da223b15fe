// Builds the image with docker, podman or buildah, whichever is installed.
// Usage: npm run image -- --base docker.io/library/node@sha256:DIGEST [--tag NAME]
//          [--platform linux/amd64,linux/arm64] [--builder NAME] [--any-base] [-- ARGUMENT...]
// Another platform than that of this machine needs its emulation, such as qemu's with binfmt_misc.
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { parseArgs, promisify } from 'node:util';
import { type Builder, builders, imageArguments, isPinned } from './image-command.ts';

const run = promisify(execFile);
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    base: { type: 'string' },
    tag: { type: 'string', default: 'localhost/helm-agent:dev' },
    platform: { type: 'string', default: '' },
    builder: { type: 'string' },
    'any-base': { type: 'boolean', default: false },
  },
});
const { base, tag, platform } = values;
if (base === undefined) throw new Error('name an image with Node 24 and npm: --base IMAGE@sha256:DIGEST');
if (!isPinned(base) && !values['any-base']) {
  throw new Error(`${base} can change: name it by its digest, IMAGE@sha256:DIGEST, or allow it with --any-base`);
}
const { version } = JSON.parse(await readFile('package.json', 'utf8')) as { version: string };
const builder = values.builder === undefined ? await installedBuilder() : knownBuilder(values.builder);
const revision = await run('git', ['rev-parse', 'HEAD']).then(
  ({ stdout }) => stdout.trim(),
  () => undefined,
);
const platforms = platform.split(',').filter((one) => one !== '');
const args = imageArguments({ builder, tag, base, platforms, version, revision, more: positionals });
console.log(`${builder} ${args.join(' ')}`);
const [code] = (await once(spawn(builder, args, { stdio: 'inherit' }), 'exit')) as [number | null];
process.exitCode = code ?? 1;

function knownBuilder(name: string): Builder {
  const found = builders.find((one) => one === name);
  if (found === undefined) throw new Error(`--builder must be one of ${builders.join(', ')}`);
  return found;
}

async function installedBuilder(): Promise<Builder> {
  for (const name of builders) {
    const works = await run(name, ['version']).then(
      () => true,
      () => false,
    );
    if (works) return name;
  }
  throw new Error(`none of ${builders.join(', ')} is installed`);
}
