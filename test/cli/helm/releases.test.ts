import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { openReleases } from '../../../src/bin/open-releases.ts';
import type { Releases } from '../../../src/cli/helm/release/releases.ts';
import type { ProgramDependencies } from '../../../src/cli/dependencies.ts';
import { processHost } from '../../../src/render/process-host.ts';
import { startSandbox } from '../../../src/sandbox/sandbox.ts';
import { testProgram } from '../support/program.ts';

type OpenReleases = ProgramDependencies['openReleases'];

const chart = new URL('../../../examples/charts/web', import.meta.url).pathname;

/** Returns a function that runs helm with a kubeconfig of a new cluster. */
async function helmOnCluster(t: ExecutionContext, watched = (releases: Releases) => releases) {
  const folder = await mkdtemp(join(tmpdir(), 'helm-'));
  const sandbox = await startSandbox({ host: processHost(), speed: 20 });
  t.teardown(async () => {
    await sandbox.close();
    await rm(folder, { recursive: true });
  });
  const kubeconfig = join(folder, 'kubeconfig');
  await writeFile(kubeconfig, sandbox.kubeconfig);
  return async (...args: string[]) => {
    const env = { HOME: folder, KUBECONFIG: kubeconfig };
    const open: OpenReleases = async (...cluster) => watched(await openReleases(env, ...cluster));
    const { run, stdout, stderr } = testProgram({ env, openReleases: open });
    const code = await run('helm', ...args);
    return { code, stdout: stdout.text, stderr: stderr.text };
  };
}

test('releases are installed, upgraded, rolled back, tested, listed and uninstalled on a cluster, as with helm', async (t) => {
  const helm = await helmOnCluster(t);

  const installed = await helm('install', 'one', chart, '--set', 'greeting=hi');
  t.regex(installed.stdout, /^NAME: one\nLAST DEPLOYED: .*\nNAMESPACE: default\nSTATUS: deployed\nREVISION: 1\n/);
  t.like(installed, { code: 0, stderr: '' });

  const again = await helm('install', 'one', chart);
  t.deepEqual(again, {
    code: 1,
    stdout: '',
    stderr:
      'level=ERROR msg="release name check failed" error="cannot reuse a name that is still in use"\n' +
      'Error: INSTALLATION FAILED: release name check failed: cannot reuse a name that is still in use\n',
  });

  const upgraded = await helm('upgrade', 'one', chart, '--reuse-values', '--wait', '-o', 'json');
  t.like(JSON.parse(upgraded.stdout), {
    name: 'one',
    version: 2,
    config: { greeting: 'hi' },
    chart: { metadata: { name: 'web' }, lock: null, files: null },
  });

  const fresh = await helm('upgrade', '--install', 'two', chart);
  t.true(fresh.stdout.startsWith('Release "two" does not exist. Installing it now.\nNAME: two\n'));

  const listed = await helm('list', '-q');
  t.is(listed.stdout, 'one\ntwo\n');
  t.is((await helm('list', '--filter', 'tw', '-o', 'yaml')).stdout.split('\n')[1]?.trim(), 'chart: web-1.0.0');

  const rolledBack = await helm('rollback', 'one', '1');
  t.deepEqual(rolledBack, { code: 0, stdout: 'Rollback was a success! Happy Helming!\n', stderr: '' });

  const revisions = JSON.parse((await helm('history', 'one', '-o', 'json')).stdout) as object[];
  t.like(revisions, { length: 3, 2: { revision: 3, status: 'deployed', description: 'Rollback to 1' } });

  t.is((await helm('get', 'values', 'one')).stdout, 'USER-SUPPLIED VALUES:\ngreeting: hi\n');
  t.regex((await helm('get', 'all', 'one')).stdout, /\nCOMPUTED VALUES:\n(?:.*\n)*greeting: hi\n/);
  t.regex((await helm('status', 'one')).stdout, /^REVISION: 3$/m);
  t.regex((await helm('test', 'one')).stdout, /^TEST SUITE: None$/m);

  const removed = await helm('uninstall', 'one', 'two');
  t.is(removed.stdout, 'release "one" uninstalled\nrelease "two" uninstalled\n');
  t.deepEqual(await helm('status', 'one'), { code: 1, stdout: '', stderr: 'Error: release: not found\n' });
});

test('upgrade --install opens the releases once and closes them', async (t) => {
  const opened: Releases[] = [];
  let closed = 0;
  const helm = await helmOnCluster(t, (releases) => {
    opened.push(releases);
    return {
      ...releases,
      async close() {
        closed++;
        await releases.close();
      },
    };
  });
  for (const greeting of ['hi', 'hello']) {
    t.like(await helm('upgrade', '--install', 'one', chart, '--set', `greeting=${greeting}`), { code: 0, stderr: '' });
  }
  t.is(opened.length, 2);
  t.is(closed, 2);
});

test('a dry run of the client needs no cluster', async (t) => {
  const { run, stdout } = testProgram({ env: {}, openReleases: (...cluster) => openReleases({}, ...cluster) });
  t.is(await run('helm', 'install', 'one', chart, '--dry-run=client'), 0);
  t.regex(stdout.text, /^DESCRIPTION: Dry run complete\nTEST SUITE: None\nHOOKS:\n/m);
});

test('a cluster that cannot be reached is reported as helm reports it', async (t) => {
  const { run, stderr } = testProgram({ env: {}, openReleases: (...cluster) => openReleases({}, ...cluster) });
  t.is(await run('helm', 'list', '--kube-apiserver', 'https://127.0.0.1:9'), 1);
  t.is(
    stderr.text,
    'Error: kubernetes cluster unreachable: Get "https://127.0.0.1:9/version": dial tcp 127.0.0.1:9: connect: connection refused\n',
  );
});

test('a context that does not exist is an error', async (t) => {
  const { run, stderr } = testProgram({ env: {}, openReleases: (...cluster) => openReleases({}, ...cluster) });
  t.is(await run('helm', 'list', '--kube-context', 'nope'), 1);
  t.is(stderr.text, 'Error: kubernetes cluster unreachable: context "nope" does not exist\n');
});
