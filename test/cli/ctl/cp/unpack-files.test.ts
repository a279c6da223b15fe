import { mkdir, mkdtemp, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import test, { type ExecutionContext } from 'ava';
import { type Header, pack } from 'tar-stream';
import { CopyCount } from '../../../../src/cli/ctl/cp/copy-count.ts';
import { unpackFiles } from '../../../../src/cli/ctl/cp/unpack-files.ts';
import { recordingTerminal } from '../../support/program.ts';

type Entry = Partial<Header> & { name: string; content?: string };

async function archiveOf(entries: readonly Entry[]): Promise<Buffer> {
  const archive = pack();
  for (const { content = '', ...header } of entries) archive.entry(header, content);
  archive.finalize();
  return await buffer(archive as AsyncIterable<Buffer>);
}

/** Unpacks the path `data` of a container to the path `out` in a new folder. */
async function unpack(t: ExecutionContext, source: readonly Entry[] | Buffer, name = 'data') {
  const folder = await mkdtemp(join(tmpdir(), 'helm-agent-cp-'));
  t.teardown(() => rm(folder, { recursive: true, force: true }));
  const said = recordingTerminal(false);
  const count = new CopyCount(said);
  const archive = Buffer.isBuffer(source) ? source : await archiveOf(source);
  const to = join(folder, 'out');
  const { signal } = new AbortController();
  const again = (bytes: Buffer) => unpackFiles(Readable.from([bytes]), { name, to, count, signal });
  return { folder, to, count, said, again, done: again(archive) };
}

test('files and folders get their names, contents and modes', async (t) => {
  const { to, count, done } = await unpack(t, [
    { name: './data/', type: 'directory', mode: 0o750 },
    { name: './data/run.sh', content: '#!/bin/sh', mode: 0o755 },
    { name: './data/deep/er/empty', mode: 0o600 },
  ]);
  await done;
  t.is(await readFile(join(to, 'run.sh'), 'utf8'), '#!/bin/sh');
  const modes = await Promise.all(
    ['.', 'run.sh', 'deep/er/empty'].map(async (path) => (await stat(join(to, path))).mode & 0o7777),
  );
  t.deepEqual(modes, [0o750, 0o755, 0o600]);
  t.like(count, { files: 2, bytes: 9, leftOut: 0 });
});

test('one file gets the name that the user has given', async (t) => {
  const { to, done } = await unpack(t, [{ name: './data', content: 'x' }]);
  await done;
  t.is(await readFile(to, 'utf8'), 'x');
});

test('a file that exists is replaced, with its mode', async (t) => {
  const { to, done, again } = await unpack(t, [{ name: 'data', content: 'a longer text', mode: 0o600 }]);
  await done;
  await again(await archiveOf([{ name: 'data', content: 'x', mode: 0o640 }]));
  t.is(await readFile(to, 'utf8'), 'x');
  t.is((await stat(to)).mode & 0o777, 0o640);
});

test('programs that run as someone else lose that', async (t) => {
  const { to, done } = await unpack(t, [{ name: 'data', content: 'x', mode: 0o6755 }]);
  await done;
  t.is((await stat(to)).mode & 0o7777, 0o755);
});

test('a folder in which nothing may be written takes what follows', async (t) => {
  const { to, done } = await unpack(t, [
    { name: 'data/', type: 'directory', mode: 0o500 },
    { name: 'data/a', content: 'x' },
  ]);
  await done;
  t.is(await readFile(join(to, 'a'), 'utf8'), 'x');
});

const refused = test.macro({
  title: (title = '') => `refuses ${title}`,
  async exec(t: ExecutionContext, entries: readonly Entry[], expected: RegExp, name?: string) {
    const { folder, done } = await unpack(t, entries, name);
    await t.throwsAsync(done, { message: expected });
    t.deepEqual(
      (await readdir(folder)).filter((each) => each !== 'out'),
      [],
    );
  },
});

const content = 'x';
test('a name that leads out', refused, [{ name: 'data/../../evil', content }], /not a name that can be written/);
test('a name that leads out of the content of a folder', refused, [{ name: './../evil', content }], /not a name/, '.');
test('an absolute name', refused, [{ name: '/tmp/evil-i24', content }], /which is not in "data"/);
test('an absolute name in the content of a folder', refused, [{ name: '/tmp/evil-i24', content }], /not a name/, '.');
test('another file than the one that was asked for', refused, [{ name: '.bashrc', content }], /which is not in "data"/);
test('a name that begins like the one', refused, [{ name: 'data2/a', content }], /which is not in "data"/);
test('an empty part of a name', refused, [{ name: 'data//a', content }], /not a name/);
test('a name that is too long', refused, [{ name: `data/${'a'.repeat(5000)}`, content }], /too long/);
test('too many folders', refused, [{ name: `data/${'a/'.repeat(300)}b`, content }], /too many folders/);
test(
  'a folder in place of a file that came before',
  refused,
  [
    { name: 'data/a', content },
    { name: 'data/a/b', content },
  ],
  /exists, and is not a folder/,
);

test('links and special files are left out, and nothing is written through a link of the archive', async (t) => {
  const { to, folder, count, said, done } = await unpack(t, [
    { name: 'data/link', type: 'symlink', linkname: '..' },
    { name: 'data/link/evil', content },
    { name: 'data/hard', type: 'link', linkname: '/etc/passwd' },
    { name: 'data/pipe', type: 'fifo' },
    { name: 'data/a', content },
  ]);
  await done;
  t.deepEqual((await readdir(to)).sort(), ['a', 'link']);
  t.true((await stat(join(to, 'link'))).isDirectory());
  t.deepEqual(await readdir(folder), ['out']);
  t.like(count, { files: 2, leftOut: 3 });
  t.regex(said.text, /left out.*data\/link\nleft out.*data\/hard\nleft out.*data\/pipe\n/);
});

test('no link of this machine is followed below the path', async (t) => {
  const { to, folder, done, again } = await unpack(t, [{ name: 'data/', type: 'directory' }]);
  await done;
  await mkdir(join(folder, 'elsewhere'));
  await writeFile(join(folder, 'elsewhere', 'kept'), 'kept');
  await symlink(join(folder, 'elsewhere'), join(to, 'linked'));
  await symlink(join(folder, 'elsewhere', 'kept'), join(to, 'file'));
  const through = await archiveOf([{ name: 'data/linked/kept', content }]);
  await t.throwsAsync(again(through), { message: /linked exists, and is not a folder/ });
  await t.throwsAsync(again(await archiveOf([{ name: 'data/file', content }])), { message: /is a link/ });
  t.is(await readFile(join(folder, 'elsewhere', 'kept'), 'utf8'), 'kept');
});

test('an archive that is cut off, or is none, is an error, and leaves no part of a file', async (t) => {
  const whole = await archiveOf([
    { name: 'data/a', content },
    { name: 'data/b', content: 'y'.repeat(10_000) },
  ]);
  const { to, done } = await unpack(t, whole.subarray(0, 4096));
  await t.throwsAsync(done);
  t.deepEqual(await readdir(to), ['a']);
  const odd = await unpack(t, Buffer.from('tar: no such file\n'.repeat(100)));
  await t.throwsAsync(odd.done);
});

test('a header that asks for much memory is refused', async (t) => {
  const archive = await archiveOf([{ name: 'data/a', content, pax: { comment: 'a'.repeat(5 * 1024 * 1024) } }]);
  const { done } = await unpack(t, archive);
  await t.throwsAsync(done);
});

test('a name with what steers a terminal is shown without that', async (t) => {
  const { said, done } = await unpack(t, [{ name: 'data/\u001b[2J', type: 'symlink', linkname: 'a' }]);
  await done;
  t.false(said.text.includes('\u001b'));
});
