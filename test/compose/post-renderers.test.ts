import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { programPostRenderers } from '../../src/compose/post-renderers.ts';

/** Returns the post-renderer of a shell script. */
async function scripted(t: ExecutionContext, script: string) {
  const folder = await mkdtemp(join(tmpdir(), 'helm-agent-post-'));
  t.teardown(() => rm(folder, { recursive: true }));
  const file = join(folder, 'program');
  await writeFile(file, `#!/bin/sh\n${script}\n`);
  await chmod(file, 0o700);
  const run = programPostRenderers({ p: file }, process.env['PATH']).get('p');
  if (run === undefined) throw new Error('the post-renderer is missing');
  return run;
}

test('returns what the program prints for the manifests on its stdin', async (t) => {
  const run = await scripted(t, 'sed s/old/new/');
  t.is(await run('a: old\n'), 'a: new\n');
});

test('the program gets no environment but PATH', async (t) => {
  process.env['HELM_AGENT_TEST_SENTINEL'] = 'sentinel';
  t.teardown(() => delete process.env['HELM_AGENT_TEST_SENTINEL']);
  const run = await scripted(t, 'env');
  t.notRegex(await run(''), /sentinel/);
});

test('an error has the exit code, and nothing that the program prints', async (t) => {
  const run = await scripted(t, 'echo sentinel >&2; echo sentinel; exit 3');
  await t.throwsAsync(async () => run('a: 1'), { message: 'the program of the post-renderer failed with exit code 3' });
});

test('a program that reads nothing does not stop the agent', async (t) => {
  const run = await scripted(t, 'echo done');
  t.is(await run('x'.repeat(1_000_000)), 'done\n');
});

test('a program that does not exist is an error', async (t) => {
  const run = programPostRenderers({ p: '/nonexistent/program' }, undefined).get('p');
  await t.throwsAsync(async () => run?.(''), { message: 'the program of the post-renderer could not be run: ENOENT' });
});
