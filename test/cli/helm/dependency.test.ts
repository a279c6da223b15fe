import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import test from 'ava';
import { packChart } from '../../source/packed-chart.ts';
import { indexYaml, serve } from '../../source/test-repository.ts';
import { helmHome } from './support/helm-home.ts';

interface Dependency {
  repository: string;
  version?: string;
}

async function writeApp(folder: string, { repository, version = '^1' }: Dependency): Promise<void> {
  await mkdir(folder, { recursive: true });
  const dependency = `dependencies:\n- name: web\n  version: "${version}"\n  repository: "${repository}"\n`;
  await writeFile(join(folder, 'Chart.yaml'), `apiVersion: v2\nname: app\nversion: 1.0.0\n${dependency}`);
}

async function serveWeb(t: Parameters<typeof serve>[0]) {
  const web = [{ version: '1.0.0' }, { version: '2.0.0' }];
  return serve(t, { '/index.yaml': indexYaml({ web }), '/web-1.0.0.tgz': await packChart('a server') });
}

test('dependency update downloads dependencies and writes the lock that dependency build uses', async (t) => {
  const { url } = await serveWeb(t);
  const { home, helm } = await helmHome(t);
  const app = join(home, 'app');
  await writeApp(app, { repository: '@team' });
  t.is(
    (await helm('dependency', 'update', app)).stderr,
    "Error: no repository definition for @team. Please add them via 'helm repo add'\n",
  );
  await helm('repo', 'add', 'team', url);
  t.is(
    (await helm('dep', 'up', app)).stdout,
    `Hang tight while we grab the latest from your chart repositories...
...Successfully got an update from the "team" chart repository
Update Complete. ⎈Happy Helming!⎈
Saving 1 charts
Downloading web from repo ${url}
Deleting outdated charts
`,
  );
  const lock = await readFile(join(app, 'Chart.lock'), 'utf8');
  t.regex(
    lock,
    /^dependencies:\n- name: web\n {2}repository: http:.*\n {2}version: 1\.0\.0\ndigest: sha256:\w{64}\ngenerated: /,
  );
  t.deepEqual(await readdir(join(app, 'charts')), ['web-1.0.0.tgz']);

  await writeFile(join(app, 'charts/web-0.1.0.tgz'), await packChart('outdated'));
  t.is((await helm('dependency', 'build', app, '--skip-refresh')).code, 0);
  t.deepEqual(await readdir(join(app, 'charts')), ['web-1.0.0.tgz']);
  t.is(
    (await helm('dependency', 'list', app)).stdout,
    `NAME\tVERSION\tREPOSITORY\tSTATUS\nweb \t^1     \t@team     \tok    \n\n`,
  );

  await writeApp(app, { repository: '@team', version: '>=1' });
  t.is(
    (await helm('dependency', 'build', app)).stderr,
    "Error: the lock file (Chart.lock) is out of sync with the dependencies file (Chart.yaml). Please update the dependencies with 'helm dependency update'\n",
  );
  await writeApp(app, { repository: '@team', version: '^7' });
  t.is(
    (await helm('dependency', 'update', app, '--skip-refresh')).stderr,
    `Error: can't get a valid version for 1 subchart(s): "web" (repository "${url}", version "^7"). Make sure a matching chart version exists in the repo, or change the version constraint in Chart.yaml\n`,
  );
});

test('dependency update takes charts of repositories that were not added, and of folders', async (t) => {
  const { url } = await serveWeb(t);
  const { home, helm } = await helmHome(t);
  const app = join(home, 'app');
  await writeApp(app, { repository: url });
  t.regex((await helm('dependency', 'update', app)).stdout, /^Getting updates for unmanaged Helm repositories\.{3}\n/);
  t.deepEqual(await readdir(join(app, 'charts')), ['web-1.0.0.tgz']);

  await mkdir(join(home, 'web'));
  await writeFile(join(home, 'web/Chart.yaml'), 'apiVersion: v2\nname: web\nversion: 1.2.3\n');
  await writeApp(app, { repository: 'file://../web' });
  t.is((await helm('dependency', 'update', app)).stdout, 'Saving 1 charts\nDeleting outdated charts\n');
  t.deepEqual(await readdir(join(app, 'charts')), ['web-1.2.3.tgz']);
  await writeApp(app, { repository: 'file://../none' });
  t.is((await helm('dependency', 'update', app)).stderr, 'Error: directory HOME/none not found\n');
});

test('dependency list says that a chart is present under another name', async (t) => {
  const { home, helm } = await helmHome(t);
  const app = join(home, 'app');
  await writeApp(app, { repository: '' });
  await mkdir(join(app, 'charts'));
  await writeFile(join(app, 'charts/other-1.0.0.tgz'), await packChart('a server'));
  t.is(
    (await helm('dependency', 'list', app)).stdout,
    'NAME\tVERSION\tREPOSITORY\tSTATUS  \nweb \t^1     \t          \tunpacked\n\n',
  );
});

test('dependency update takes a chart of any apiVersion, and says of a folder that it has no chart', async (t) => {
  const { home, helm } = await helmHome(t);
  const app = join(home, 'app');
  await mkdir(app);
  // helm dep up app; helm dep build app
  const missing = { code: 1, stdout: '', stderr: 'Error: Chart.yaml file is missing\n' };
  t.deepEqual(await helm('dep', 'up', app), missing);
  t.deepEqual(await helm('dep', 'build', app), missing);
  await writeFile(join(app, 'Chart.yaml'), 'apiVersion: v4\nname: app\nversion: 1.0.0\n');
  t.deepEqual(await helm('dep', 'up', app), { code: 0, stdout: '', stderr: '' });
});
