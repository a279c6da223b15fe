import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, readFile, readlink, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import test, { type ExecutionContext } from 'ava';
import { updatePrivateFile } from '../../src/compose/private-file.ts';

async function testFolder(t: ExecutionContext) {
  const folder = await mkdtemp(join(tmpdir(), 'helm-agent-'));
  t.teardown(() => rm(folder, { recursive: true }));
  return { folder, path: join(folder, 'agents') };
}

const append = (line: string) => (text: string | undefined) => `${text ?? ''}${line}\n`;

test('changes at the same time all take effect, also through a symbolic link', async (t) => {
  const { folder, path } = await testFolder(t);
  const link = join(folder, 'link');
  await symlink(path, link);
  await updatePrivateFile(path, append('first'));
  const lines = Array.from({ length: 50 }, (_, index) => String(index));
  const writers = Array.from({ length: 5 }, async (_, writer) => {
    for (const line of lines.slice(writer * 10, writer * 10 + 10)) {
      await updatePrivateFile(writer % 2 === 0 ? path : link, append(line));
    }
  });
  await Promise.all(writers);
  t.deepEqual((await readFile(path, 'utf8')).trim().split('\n').sort(), ['first', ...lines].sort());
  t.is((await stat(path)).mode & 0o777, 0o600);
  t.is(await readlink(link), path);
  t.deepEqual((await readdir(folder)).sort(), ['agents', 'link']);
});

test('a change that fails leaves the file and no lock', async (t) => {
  const { folder, path } = await testFolder(t);
  await writeFile(path, 'a\n');
  const fail = () => {
    throw new Error('not this');
  };
  await t.throwsAsync(updatePrivateFile(path, fail), { message: 'not this' });
  t.is(await readFile(path, 'utf8'), 'a\n');
  await writeFile(path, Buffer.from([0xff, 0xfe, 0]));
  await t.throwsAsync(updatePrivateFile(path, append('b')), { message: /agents is not a text file/ });
  t.deepEqual(await readdir(folder), ['agents']);
});

test('a change by a program that takes no lock is not overwritten', async (t) => {
  const { path } = await testFolder(t);
  await writeFile(path, 'a\n');
  const { writeFileSync } = await import('node:fs');
  const change = () => {
    writeFileSync(path, 'edited\n');
    return 'mine\n';
  };
  await t.throwsAsync(updatePrivateFile(path, change), { message: /another program has changed it/ });
  t.is(await readFile(path, 'utf8'), 'edited\n');
});

test('a lock of a process that was killed is an error that names it', async (t) => {
  const { path } = await testFolder(t);
  const child = spawn('true');
  await once(child, 'exit');
  await writeFile(`${path}.lock`, `${child.pid ?? 0} ${hostname()}\n`);
  const message = new RegExp(`agents.lock is left of process ${child.pid ?? 0}, which was killed; remove it`);
  await t.throwsAsync(updatePrivateFile(path, append('a')), { message });
});

test('waits for a lock of a process that runs, or that is not known', async (t) => {
  const { path } = await testFolder(t);
  for (const content of ['', `${process.pid} ${hostname()}\n`, '1 elsewhere\n', '\u0000']) {
    await writeFile(`${path}.lock`, content);
    const order: string[] = [];
    const changed = updatePrivateFile(path, append('a')).then(() => order.push('changed'));
    await sleep(60);
    order.push('released');
    await rm(`${path}.lock`);
    await changed;
    t.deepEqual(order, ['released', 'changed']);
  }
});
