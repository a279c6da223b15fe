import { spawnSync } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import test from 'ava';
import { testProgram } from '../support/program.ts';
import { helmHome } from './support/helm-home.ts';

test('completion candidates are those of helm: commands, flags, formats and repositories', async (t) => {
  const { home, helm } = await helmHome(t);
  await mkdir(join(home, 'config'));
  await writeFile(join(home, 'config/repositories.yaml'), 'repositories:\n- {name: team, url: "http://host"}\n');
  const complete = async (...args: string[]) => (await helm('__complete', ...args)).stdout;
  t.is(await complete('rep'), 'repo\tmanage the list of chart repositories\n:4\n');
  t.is(await complete('repo', 'list', '--o'), '--output\tformat of the output: table, json, yaml\n:4\n');
  t.is(await complete('repo', 'list', '-o', 'j'), 'json\tJSON\n:4\n');
  t.is(await complete('repo', 'remove', ''), 'team\thttp://host\n:4\n');
  t.is(await complete('repo', 'remove', 'team', ''), ':4\n');
  t.is(await complete('lint', ''), ':0\n');
  t.is((await helm('__completeNoDesc', 'repo', '')).stdout, 'add\nindex\nlist\nremove\nupdate\n:4\n');
});

const chartsComplete = test.macro({
  async exec(t, args: string[], expected: string[]) {
    const { home, helm } = await helmHome(t);
    await mkdir(join(home, 'config'));
    await mkdir(join(home, 'cache/repository'), { recursive: true });
    const repositories = 'repositories:\n- {name: team, url: "http://host"}\n- {name: other, url: "http://host"}\n';
    await writeFile(join(home, 'config/repositories.yaml'), repositories);
    await writeFile(join(home, 'cache/repository/team-charts.txt'), 'web\nworker\n');
    const index =
      'apiVersion: v1\nentries:\n  db:\n  - {name: db, version: 1.2.0, appVersion: "9"}\n  - {name: db, version: 1.1.0}\n';
    await writeFile(join(home, 'cache/repository/other-index.yaml'), index);
    t.deepEqual((await helm('__completeNoDesc', ...args)).stdout.trimEnd().split('\n'), expected);
  },
  title: (_, args: string[]) => `completes charts as helm does: helm ${args.join(' ')}`,
});

test(chartsComplete, ['pull', ''], ['team/', 'other/', 'oci://', 'https://', 'http://', 'file://', ':6']);
test(chartsComplete, ['install', 'web', 'tea'], ['team/', ':2']);
test(chartsComplete, ['install', 'web', 'team/wo'], ['team/worker', ':0']);
test(chartsComplete, ['upgrade', 'web', 'other/'], ['other/db', ':0']);
test(chartsComplete, ['show', 'values', 'http://x'], [':0']);
test(chartsComplete, ['install', ''], [':4']);
test(chartsComplete, ['install', '--generate-name', 'team/we'], ['team/web', ':0']);
test(chartsComplete, ['install', 'web', 'other/db', '--version', ''], ['1.2.0', '1.1.0', ':4']);
test(chartsComplete, ['pull', 'other/db', '--version', '1.1'], ['1.1.0', ':4']);
test(chartsComplete, ['pull', 'none/db', '--version', ''], [':4']);
test(chartsComplete, ['template', 'web', 'team/web', ''], [':4']);

test('completes releases, other ones than those that are given, and revisions', async (t) => {
  const listed = (name: string, version: number) => ({
    ...{ name, namespace: 'shop', version, info: { status: 'deployed' } },
    chart: { metadata: { name: 'nginx', version: '1.0.0', appVersion: '9' } },
  });
  const asked: unknown[] = [];
  const program = testProgram({
    env: { HOME: '/none' },
    openReleases: () =>
      Promise.resolve({
        perform(type: string, payload: unknown) {
          asked.push([type, payload]);
          const releases =
            type === 'list_releases' ? [listed('a', 1), listed('b', 2)] : [listed('a', 1), listed('a', 2)];
          return Promise.resolve({ releases } as never); // both responses are lists of releases
        },
        close: () => Promise.resolve(),
      }),
  });
  const complete = async (...args: string[]) => {
    program.stdout.text = '';
    await program.run('helm', '__complete', ...args);
    return program.stdout.text;
  };
  t.is(await complete('-n', 'shop', 'uninstall', 'a', ''), 'b\tnginx-1.0.0 -> deployed\n:4\n');
  t.is(await complete('-n', 'shop', 'rollback', 'a', '2'), '2\tApp: 9, Chart: nginx-1.0.0\n:4\n');
  t.deepEqual(asked, [
    ['list_releases', { namespace: 'shop' }],
    ['release_history', { namespace: 'shop', releaseName: 'a' }],
  ]);
});

test('completes namespaces of the cluster, and contexts of the kubeconfig with their clusters', async (t) => {
  const { home, helm } = await helmHome(t);
  const kubeconfig = join(home, 'kubeconfig');
  const contexts = '{name: dev, context: {cluster: one}}, {name: prod, context: {cluster: two}}';
  await writeFile(kubeconfig, `contexts: [${contexts}]`);
  const complete = async (...args: string[]) => (await helm('__complete', '--kubeconfig', kubeconfig, ...args)).stdout;
  t.is(await complete('list', '--kube-context', ''), 'dev\tone\nprod\ttwo\n:4\n');
  t.is(await complete('--kube-context', 'p'), 'prod\ttwo\n:4\n');
  t.is(await complete('list', '-n', ''), ':0\n', 'the kubeconfig has no cluster');

  const asked: string[] = [];
  const program = testProgram({
    env: { HOME: '/none' },
    listNamespaces({ kubeContext }) {
      asked.push(kubeContext);
      return Promise.resolve(['default', 'shop']);
    },
  });
  await program.run('helm', '__complete', 'status', '--kube-context', 'dev', '--namespace', 's');
  t.is(program.stdout.text, 'shop\n:4\n');
  t.deepEqual(asked, ['dev']);
});

test('offers nothing if the releases cannot be read', async (t) => {
  const program = testProgram({ env: { HOME: '/none' }, openReleases: () => Promise.reject(new Error('no cluster')) });
  t.is(await program.run('helm', '__complete', '-n', 'shop', 'status', ''), 0);
  t.is(program.stdout.text, ':0\n');
});

const bashCompletes = test.macro({
  async exec(t, words: string[], asked: string, expected: string) {
    const { helm } = await helmHome(t);
    const { stdout } = await helm('completion', 'bash');
    const fake = `helm() { local IFS=" "; [[ "$*|" == '__completeNoDesc ${asked}|' ]] && printf 'json\nlist\nlint\n:4\n'; }`;
    const call = `COMP_WORDS=(helm ${words.join(' ')}); COMP_CWORD=${words.length}; __start_helm; echo "\${COMPREPLY[*]}"`;
    const result = spawnSync('bash', ['-c', `${stdout}\n${fake}\n${call}`], { encoding: 'utf8' });
    t.is(result.stdout, `${expected}\n`);
  },
  title: (_, words: string[]) => `the bash script asks helm to complete: helm ${words.join(' ')}`,
});

test(bashCompletes, ['li'], 'li', 'list lint');
test(bashCompletes, ['get', "''"], 'get ', 'json list lint');
test(bashCompletes, ['list', '--output=js'], 'list --output=js', 'json');

test('the bash script completes a new word that the shell does not name', async (t) => {
  const { helm } = await helmHome(t);
  const { stdout } = await helm('completion', 'bash');
  const fake = `helm() { local IFS=" "; [[ "$*|" == '__completeNoDesc get |' ]] && printf 'all\n:4\n'; }`;
  const call = 'COMP_WORDS=(helm get); COMP_CWORD=2; __start_helm; echo "${COMPREPLY[*]}"';
  t.is(spawnSync('bash', ['-c', `${stdout}\n${fake}\n${call}`], { encoding: 'utf8' }).stdout, 'all\n');
});

for (const shell of ['zsh', 'fish', 'powershell']) {
  test(`there is a completion script for ${shell}`, async (t) => {
    const { helm } = await helmHome(t);
    t.regex((await helm('completion', shell)).stdout, /helm __complete /);
    t.regex((await helm('completion', shell, '--no-descriptions')).stdout, /helm __completeNoDesc /);
  });
}
