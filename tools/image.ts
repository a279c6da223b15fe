// Builds the image with docker, podman or buildah, whichever is installed.
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { parseArgs, promisify } from 'node:util';
import { messageOf } from '../src/errors/index.ts';
import { type Builder, builders, imageArguments, isPinned } from './image-command.ts';

const usage = `usage: npm run image -- --base IMAGE@sha256:DIGEST [FLAG]... [-- ARGUMENT...]

  --base IMAGE         image with Node 24 and npm, such as docker.io/library/node@sha256:DIGEST
  --any-base           allow a base without a digest, which can change
  --tag NAME           name of the image (default: localhost/helm-agent:dev)
  --platform LIST      such as linux/amd64,linux/arm64 (default: that of this machine); another one
                       needs its emulation, such as qemu's with binfmt_misc
  --builder NAME       docker, podman or buildah (default: the first of these that works)
  ARGUMENT...          further arguments of the builder`;

const run = promisify(execFile);
const { values, positionals } = readFlags();
const { base, tag, platform } = values;
if (values.help === true) {
  console.log(usage);
  process.exit();
}
if (base === undefined) exitWith('name an image with Node 24 and npm: --base IMAGE@sha256:DIGEST');
if (!isPinned(base) && !values['any-base']) {
  exitWith(`${base} can change: name it by its digest, IMAGE@sha256:DIGEST, or allow it with --any-base`);
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
// docker before version 23 does not know the platforms of the Dockerfile without BuildKit
const env = { DOCKER_BUILDKIT: '1', ...process.env };
const [code] = (await once(spawn(builder, args, { stdio: 'inherit', env }), 'exit')) as [number | null];
process.exitCode = code ?? 1;

function exitWith(problem: string): never {
  console.error(`${problem}\n\n${usage}`);
  process.exit(2);
}

function readFlags() {
  try {
    return parseArgs({
      allowPositionals: true,
      options: {
        base: { type: 'string' },
        tag: { type: 'string', default: 'localhost/helm-agent:dev' },
        platform: { type: 'string', default: '' },
        builder: { type: 'string' },
        'any-base': { type: 'boolean', default: false },
        help: { type: 'boolean', short: 'h' },
      },
    });
  } catch (error) {
    exitWith(messageOf(error));
  }
}

function knownBuilder(name: string): Builder {
  const found = builders.find((one) => one === name);
  if (found === undefined) exitWith(`--builder must be one of ${builders.join(', ')}`);
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
  exitWith(`none of ${builders.join(', ')} works here: install one of them, or start its daemon`);
}
