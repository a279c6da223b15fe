import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'ava';
import type { ProgramDependencies } from '../../../src/cli/dependencies.ts';
import type { Releases } from '../../../src/cli/helm/release/releases.ts';
import { openReleases } from '../../../src/compose/open-releases.ts';
import { processHost } from '../../../src/render/process-host.ts';
import { startSandbox } from '../../../src/sandbox/sandbox.ts';
import { testProgram } from '../support/program.ts';
import { type LineRecord, lineRecord, nullLines, valueFiles } from './support/null-values.ts';

const fixture = new URL('fixtures/null-values.json', import.meta.url);

test('nulls in values are stored and rendered as with helm, in all ways of values', async (t) => {
  // recorded by tools/record-null-values.ts
  const recorded = JSON.parse(await readFile(fixture, 'utf8')) as LineRecord[];
  const folder = await mkdtemp(join(tmpdir(), 'helm-nulls-'));
  const sandbox = await startSandbox({ host: processHost(), speed: 20 });
  t.teardown(async () => {
    await sandbox.close();
    await rm(folder, { recursive: true });
  });
  const env = { HOME: folder, KUBECONFIG: join(folder, 'kubeconfig') };
  await writeFile(env.KUBECONFIG, sandbox.kubeconfig);
  const opened: Releases[] = [];
  t.teardown(() => opened[0]?.close());
  const open: ProgramDependencies['openReleases'] = async (...cluster) => {
    const releases = opened[0] ?? (await openReleases(env, ...cluster));
    opened[0] = releases;
    return { ...releases, close: () => Promise.resolve() };
  };

  const names = await readdir(valueFiles);
  const texts = await Promise.all(names.map((name) => readFile(join(valueFiles, name), 'utf8')));
  const files = Object.fromEntries(names.map((name, index) => [join(valueFiles, name), texts[index] ?? '']));

  const seen: LineRecord[] = [];
  for (const args of nullLines('default')) {
    const { run, stdout, stderr } = testProgram({ env, files, openReleases: open });
    t.is(await run('helm', ...args), 0, `${args.join(' ')}: ${stderr.text}`);
    if (args[0] === 'get') seen.push(lineRecord(args, stdout.text));
  }
  t.deepEqual(seen, recorded);
});
