import { cp, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import type { ProgramDependencies } from '../../../src/cli/dependencies.ts';
import type { Releases } from '../../../src/cli/helm/release/releases.ts';
import { openReleases } from '../../../src/compose/open-releases.ts';
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

test('the chart that was checked is the one that is installed and upgraded', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'helm-chart-'));
  t.teardown(() => rm(folder, { recursive: true, force: true }));
  const own = join(folder, 'web');
  const helm = await helmOnCluster(t, (releases) => ({
    ...releases,
    async perform(...given) {
      await rm(own, { recursive: true, force: true });
      return releases.perform(...given);
    },
  }));
  for (const verb of ['install', 'upgrade']) {
    await cp(chart, own, { recursive: true });
    t.like(await helm(verb, 'one', own), { code: 0, stderr: '' });
  }
});

// printed by `helm get all one --template TEMPLATE` of helm 4.2.4
const templates: readonly (readonly [template: string, output: Partial<Record<'stdout' | 'stderr', string>>])[] = [
  ['{{.Release.Name}} {{.Release.Version}} {{.Release.Info.Status}}', { stdout: 'one 1 deployed' }],
  ['{{.Release.Config}} {{.Release.Chart.Values.greeting}}', { stdout: 'map[greeting:hi] hello' }],
  ['{{.Release.Chart.Name}} {{.Release.Chart.Metadata.Version}}', { stdout: 'web 1.0.0' }],
  ['{{.Release.Chart.Lock}} {{len .Release.Hooks}} {{.Release.ApplyMethod}}', { stdout: '<nil> 0 ssa' }],
  ['{{.Release.Labels.owner}} {{(index .Release.Chart.Templates 0).Name}}', { stdout: 'helm templates/NOTES.txt' }],
  ['{{.Release.Info.Deleted.Year}} {{.Release.Info.Deleted}}', { stdout: '1 0001-01-01 00:00:00 +0000 UTC' }],
  ['{{.Nothing}}', { stdout: '<no value>' }],
  ['{{nothing}}', { stderr: 'Error: template: _:1: function "nothing" not defined\n' }],
  ['{{', { stderr: 'Error: template: _:1: unclosed action\n' }],
  [
    '{{.Release.Nothing}}',
    {
      stderr:
        'Error: template: _:1:10: executing "_" at <.Release.Nothing>: can\'t evaluate field Nothing in type interface {}\n',
    },
  ],
  [
    '{{.Release.Info.Nothing}}',
    {
      stderr:
        'Error: template: _:1:10: executing "_" at <.Release.Info.Nothing>: can\'t evaluate field Nothing in type *v1.Info\n',
    },
  ],
];

test('get all --template prints what the template says of the release, as with helm', async (t) => {
  const helm = await helmOnCluster(t);
  await helm('install', 'one', chart, '--set', 'greeting=hi');
  for (const [template, output] of templates) {
    const expected = { stdout: '', stderr: '', ...output };
    const code = expected.stderr === '' ? 0 : 1;
    t.deepEqual(await helm('get', 'all', 'one', '--template', template), { code, ...expected }, template);
  }
  const endless = '{{define "a"}}{{template "a"}}{{end}}{{template "a"}}';
  t.like(await helm('get', 'all', 'one', '--template', endless), { code: 1, stdout: '' });
});

// printed by helm 4.2.4
const refusals: readonly (readonly [line: string, stderr: string])[] = [
  [
    'install UPPER CHART',
    String.raw`level=ERROR msg="release name check failed" error="release name \"UPPER\": invalid release name, must match regex ^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$ and the length must not be longer than 53"`,
  ],
  ['install one CHART --hide-secret', 'level=ERROR msg="hiding Kubernetes secrets requires a dry-run mode"'],
];

test('an installation that is refused is logged as with helm', async (t) => {
  const helm = await helmOnCluster(t);
  for (const [line, expected] of refusals) {
    const { code, stderr } = await helm(...line.replace('CHART', chart).split(' '));
    t.is(code, 1);
    t.is(stderr.split('\n')[0], expected);
    t.regex(stderr, /\nError: INSTALLATION FAILED: [^\n]+\n$/);
  }
});

test('list has no limit with a negative --max, as with helm', async (t) => {
  const helm = await helmOnCluster(t);
  await helm('install', 'one', chart);
  t.deepEqual(await helm('list', '--max', '-1', '-q'), { code: 0, stdout: 'one\n', stderr: '' });
});

test('list refuses a negative --offset, with which helm panics', async (t) => {
  const helm = await helmOnCluster(t);
  const stderr = 'Error: --offset is -1, but it must be 0 or more\n';
  t.deepEqual(await helm('list', '--offset', '-1'), { code: 1, stdout: '', stderr });
});

/** Returns the folder of a chart with one template. */
async function chartOf(t: ExecutionContext, name: string, object: object): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'chart-'));
  t.teardown(() => rm(folder, { recursive: true }));
  await mkdir(join(folder, 'templates'));
  await writeFile(join(folder, 'Chart.yaml'), `apiVersion: v2\nname: ${name}\nversion: 0.1.0\n`);
  await writeFile(join(folder, 'templates', 'a.yaml'), JSON.stringify(object));
  return folder;
}

// the texts are those of helm 4.2.4
test('a dry run of an uninstallation only looks for the release, as with helm', async (t) => {
  const helm = await helmOnCluster(t);
  const missing = await helm('uninstall', 'missing', '--dry-run');
  t.deepEqual(missing, { code: 1, stdout: '', stderr: 'Error: release: not found\n' });
  const stderr = 'Error: uninstall: Release not loaded: missing: release: not found\n';
  t.deepEqual(await helm('uninstall', 'missing'), { code: 1, stdout: '', stderr });
});

// the text is that of helm 4.2.4
test('a folder that is not a chart is refused before its files are read, as with helm', async (t) => {
  const helm = await helmOnCluster(t);
  const folder = await mkdtemp(join(tmpdir(), 'no-chart-'));
  t.teardown(() => rm(folder, { recursive: true }));
  await writeFile(join(folder, 'large'), Buffer.alloc(6 * 1024 * 1024));
  const path = join(folder, 'Chart.yaml');
  const problem = `unable to detect chart at ${path}: open ${path}: no such file or directory\n`;
  const refused = { code: 1, stdout: '' };
  t.deepEqual(await helm('install', 'one', folder), { ...refused, stderr: `Error: INSTALLATION FAILED: ${problem}` });
  t.deepEqual(await helm('upgrade', 'one', folder), { ...refused, stderr: `Error: ${problem}` });
});

test('an object without a name is refused with the text of helm', async (t) => {
  const helm = await helmOnCluster(t);
  const object = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { labels: { a: 'b' } } };
  const unnamed = await chartOf(t, 'unnamed', object);
  const { apiVersion, kind } = object;
  const without = await chartOf(t, 'without', { apiVersion, kind });
  const problem =
    'could not get information about the resource ConfigMap "" in namespace "default": resource name may not be empty\n';
  for (const bad of [unnamed, without]) {
    const { stderr, code } = await helm('install', 'one', bad);
    t.deepEqual([code, stderr], [1, `Error: INSTALLATION FAILED: unable to continue with install: ${problem}`]);
  }
  await helm('install', 'two', chart);
  const { stderr, code } = await helm('upgrade', 'two', unnamed);
  t.deepEqual([code, stderr], [1, `Error: UPGRADE FAILED: unable to continue with update: ${problem}`]);
});

test('test --logs fails for a test that is not a Pod, as with helm', async (t) => {
  const helm = await helmOnCluster(t);
  const tested = await chartOf(t, 'tested', {
    ...{ apiVersion: 'v1', kind: 'ConfigMap' },
    metadata: { name: 'check', annotations: { 'helm.sh/hook': 'test' } },
  });
  await helm('install', 'one', tested);
  t.like(await helm('test', 'one'), { code: 0, stderr: '' });
  const stderr = 'Error: unable to get pod check: pods "check" not found\n';
  const { stdout, ...rest } = await helm('test', 'one', '--logs');
  t.deepEqual(rest, { code: 1, stderr });
  t.regex(stdout, /^TEST SUITE: {5}check$/m);
  t.like(await helm('test', 'one', '--logs', '--filter', '!name=check'), { code: 0, stderr: '' });
});

const warningChart = new URL('fixtures/warnings', import.meta.url).pathname;
const info = (text: string) => `level=INFO msg="warning: ${text}"`;
const own = info('skipped value for warnings.sub.own: Not a table.');
const text = info('skipped value for warnings.text: Not a table.');
const table = info('skipped value for warnings.table: Not a table.');
const subtable = info('cannot overwrite table with non table for warnings.sub.table (map[x:1])');
const ignored = info('destination for table is a table. Ignoring non-table value (secret)');

// the lines on stderr of `helm LINE`, sorted, because Go's order of keys is random; helm 4.2.4
const warnings: readonly (readonly [line: string, stderr: readonly string[]])[] = [
  ['install one CHART --set text.a=1,table=5,sub.table=secret', [subtable, own, own, own, text, text]],
  ['upgrade one CHART --set table=secret', [own, own, own]],
  ['get values one --all', []],
  ['upgrade one CHART --reuse-values --set table.x=7', [ignored, own, own, own, table, table]],
  ['upgrade one CHART --reset-then-reuse-values --set table.x=8', [own, own, own]],
  ['upgrade one CHART --install --dry-run=client', [own, own, own]],
  ['get values one --all --revision 1', [subtable, text]],
  ['get all one --revision 1', [subtable, text]],
  ['rollback one 1', []],
];

test('warnings about values are logged as with helm', async (t) => {
  const helm = await helmOnCluster(t);
  for (const [line, expected] of warnings) {
    const { code, stderr } = await helm(...line.replace('CHART', warningChart).split(' '));
    t.is(code, 0, stderr);
    t.deepEqual(stderr.split('\n').filter(Boolean).sort(), expected, line);
  }
});

test('upgrade --install does not install over a release none of whose revisions can be read', async (t) => {
  const unreadable = { releases: [], unreadable: ['Secret default/one: not JSON'] };
  const helm = await helmOnCluster(t, (releases) => ({
    ...releases,
    perform: (type, ...rest) =>
      type === 'release_history' ? Promise.resolve(unreadable as never) : releases.perform(type, ...rest),
  }));
  const { code, stdout, stderr } = await helm('upgrade', '--install', 'one', chart);
  t.is(code, 1);
  t.is(stdout, '');
  t.regex(stderr, /^Error: UPGRADE FAILED: /m);
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
