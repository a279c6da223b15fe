import { readFile } from 'node:fs/promises';
import test from 'ava';
import { imageArguments, type ImageOptions, isPinned } from '../../tools/image-command.ts';

const base = `docker.io/library/node@sha256:${'0'.repeat(64)}`;
const image: ImageOptions = { builder: 'docker', tag: 'helm-agent', base, platforms: [], version: '1.2.3', more: [] };

test('the labels of an image name its version, its commit and the digest of its base', (t) => {
  const args = imageArguments({ ...image, revision: 'abc' });
  t.deepEqual(args.slice(0, 3), ['build', '--build-arg', `BASE=${base}`]);
  t.true(args.includes('org.opencontainers.image.version=1.2.3'));
  t.true(args.includes('org.opencontainers.image.revision=abc'));
  t.true(args.includes('org.opencontainers.image.base.name=docker.io/library/node'));
  t.true(args.includes(`org.opencontainers.image.base.digest=sha256:${'0'.repeat(64)}`));
  t.deepEqual(args.slice(-3), ['--tag', 'helm-agent', '.']);
});

test('several platforms are one image for each, under one name', (t) => {
  const platforms = ['linux/amd64', 'linux/arm64'];
  const docker = imageArguments({ ...image, platforms });
  t.deepEqual(docker.slice(0, 4), ['buildx', 'build', '--platform', 'linux/amd64,linux/arm64']);
  t.false(
    docker.some((arg) => arg.startsWith('BUILDPLATFORM=')),
    'Docker knows it',
  );
  const buildah = imageArguments({ ...image, builder: 'buildah', platforms, more: ['--network', 'host'] });
  t.deepEqual(buildah.slice(0, 3), ['build', '--platform', 'linux/amd64,linux/arm64']);
  const own = process.arch === 'x64' ? 'amd64' : process.arch;
  t.deepEqual(buildah.slice(3, 5), ['--build-arg', `BUILDPLATFORM=linux/${own}`]);
  t.deepEqual(buildah.slice(-5), ['--network', 'host', '--manifest', 'helm-agent', '.']);
});

test('an image is pinned by the digest only', (t) => {
  t.true(isPinned(base));
  t.false(isPinned('docker.io/library/node:24'));
  t.false(isPinned('docker.io/library/node@sha256:0'));
});

test('compiled code is made with the flags with which the image uses it, and is found there', async (t) => {
  const text = await readFile('Dockerfile', 'utf8');
  const made = (command: string) =>
    new RegExp(`^RUN node tools/image-compiled\\.ts /root-of-image ${command} (.*)$`, 'm').exec(text)?.[1]?.split(' ');
  const [, entry = '[]'] = /^ENTRYPOINT (.*)$/m.exec(text) ?? [];
  const [node, ...used] = JSON.parse(entry) as string[];
  t.deepEqual([...(made('run') ?? []), '/app/helm-agent.mjs'], used);
  const manifest = await readFile('deploy/control-plane.yaml', 'utf8');
  const [, ofPlane = ''] = /^ *command:\n((?: *- .*\n)+)/m.exec(manifest) ?? [];
  const expected = [node, ...(made('control-plane') ?? []), '/app/helm-agent.mjs'];
  t.deepEqual(
    ofPlane
      .trim()
      .split(/\s*- |\n\s*- /)
      .slice(1),
    expected,
  );
  const [, folder] = /NODE_COMPILE_CACHE=(\S+)/.exec(text) ?? [];
  t.true((await readFile('tools/image-compiled.ts', 'utf8')).includes(`'${folder?.slice(1)}'`), folder);
});

test('the program is built on the processor of the builder, and Node is that of the image', async (t) => {
  const lines = (await readFile('Dockerfile', 'utf8')).split('\n').filter((line) => line.startsWith('FROM '));
  t.deepEqual(lines, [
    'FROM --platform=${BUILDPLATFORM} ${BASE} AS build',
    'FROM --platform=${TARGETPLATFORM} ${BASE} AS root',
    'FROM --platform=${TARGETPLATFORM} scratch',
  ]);
});
