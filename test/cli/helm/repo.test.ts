import { mkdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import test from 'ava';
import { chartYaml, packChart } from '../../source/packed-chart.ts';
import { indexYaml, serve, sha256 } from '../../source/test-repository.ts';
import { helmHome } from './support/helm-home.ts';

async function serveWeb(t: Parameters<typeof serve>[0]) {
  const archive = await packChart('a server');
  const entries = { web: [{ version: '1.0.0', digest: sha256(archive) }, { version: '1.1.0-rc.1' }] };
  return serve(t, { '/index.yaml': indexYaml(entries), '/web-1.0.0.tgz': archive });
}

test('repositories are added, listed, searched, updated and removed as helm does it', async (t) => {
  const { url } = await serveWeb(t);
  const { home, helm } = await helmHome(t);
  t.deepEqual(await helm('repo', 'list'), { code: 0, stdout: '', stderr: 'no repositories to show\n' });
  t.is((await helm('repo', 'update')).stderr, 'Error: no repositories found. You must add one before updating\n');
  t.is((await helm('search', 'repo')).stderr, 'Error: no repositories configured\n');

  t.is((await helm('repo', 'add', 'team', url)).stdout, '"team" has been added to your repositories\n');
  const again = '"team" already exists with the same configuration, skipping\n';
  t.is((await helm('repo', 'add', 'team', url)).stdout, again);
  const other = 'Error: repository name (team) already exists, please specify a different name\n';
  t.is((await helm('repo', 'add', 'team', `${url}/`)).stderr, other);
  t.is((await helm('repo', 'list', '--no-headers')).stdout, `team\t${url}\n`);
  t.is((await helm('repo', 'list', '-o', 'json')).stdout, `[{"name":"team","url":"${url}"}]\n`);
  t.is(await readFile(join(home, 'cache/repository/team-charts.txt'), 'utf8'), 'web\n');
  t.is(
    await readFile(join(home, 'config/repositories.yaml'), 'utf8'),
    `apiVersion: ""
generated: "0001-01-01T00:00:00Z"
repositories:
- caFile: ""
  certFile: ""
  insecure_skip_tls_verify: false
  keyFile: ""
  name: team
  pass_credentials_all: false
  password: ""
  url: ${url}
  username: ""
`,
  );
  t.is((await stat(join(home, 'config/repositories.yaml'))).mode & 0o777, 0o600);

  t.is(
    (await helm('search', 'repo', 'TEAM/w', '--devel', '-o', 'yaml')).stdout,
    '- app_version: ""\n  description: ""\n  name: team/web\n  version: 1.1.0-rc.1\n',
  );
  t.is((await helm('search', 'repo', '-r', '^we')).stdout.split('\n')[1]?.trim(), 'team/web\t1.0.0');
  t.is((await helm('search', 'repo', 'nothing')).stdout, 'No results found\n');
  t.is((await helm('search', 'repo', 'nothing', '--fail-on-no-result')).code, 1);

  t.regex(
    (await helm('repo', 'update', 'team')).stdout,
    /^Hang tight .*\n\.{3}Successfully got .*"team".*\nUpdate Comp/,
  );
  const unknown = "Error: no repositories found matching 'x'.  Nothing will be updated\n";
  t.is((await helm('repo', 'update', 'x')).stderr, unknown);
  t.is((await helm('repo', 'remove', 'x')).stderr, 'Error: no repo named "x" found\n');
  t.is((await helm('repo', 'rm', 'team')).stdout, '"team" has been removed from your repositories\n');
  await t.throwsAsync(stat(join(home, 'cache/repository/team-index.yaml')));
});

test('a chart is found by the name of a repository, and its archive is cached by digest', async (t) => {
  const { url, requests } = await serveWeb(t);
  const { helm } = await helmHome(t);
  t.is((await helm('show', 'chart', 'team/web')).stderr, 'Error: repo team not found\n');
  await helm('repo', 'add', 'team', url);
  t.regex((await helm('show', 'chart', 'team/web')).stdout, /description: a server/);
  const downloads = () => requests.filter((request) => request.url.endsWith('.tgz')).length;
  t.is(downloads(), 1);
  t.is((await helm('show', 'chart', 'team/web', '--version', '^1')).code, 0);
  t.is(downloads(), 1);
  t.is(
    (await helm('show', 'chart', 'team/web', '--version', '9')).stderr,
    `Error: chart "web" matching 9 not found in team index. (try 'helm repo update'): no chart version found for web-9\n`,
  );
  t.is(
    (await helm('show', 'chart', 'other', '--repo', url)).stderr,
    `Error: chart "other" not found in ${url} repository\n`,
  );
});

test('the credentials of a repository are sent with each request', async (t) => {
  const { url, requests } = await serveWeb(t);
  const { helm } = await helmHome(t);
  await helm('repo', 'add', 'team', url, '--username', 'joe', '--password', 'secret');
  await helm('show', 'chart', 'team/web');
  t.deepEqual(
    requests.map(({ authorization }) => authorization),
    Array.from({ length: 2 }, () => `Basic ${Buffer.from('joe:secret').toString('base64')}`),
  );
});

test('a repository that cannot be reached is not added', async (t) => {
  const { url } = await serveWeb(t);
  const { helm } = await helmHome(t);
  t.is(
    (await helm('repo', 'add', 'team', `${url}/none`)).stderr,
    `Error: looks like "${url}/none" is not a valid chart repository or cannot be reached: failed to fetch ${url}/none/index.yaml : 404 Not Found\n`,
  );
  t.is((await helm('repo', 'add', 'q', 'ftp://host')).stderr, 'Error: could not find protocol handler for: ftp\n');
  t.is((await helm('repo', 'list')).stderr, 'no repositories to show\n');
});

test('an index is written for a folder of archives, and merged with another one', async (t) => {
  const { home, helm } = await helmHome(t);
  const archive = await packChart('a server');
  await mkdir(join(home, 'charts/old'), { recursive: true });
  await writeFile(join(home, 'charts/web-1.0.0.tgz'), archive);
  await writeFile(join(home, 'charts/broken.tgz'), 'no archive');
  await writeFile(join(home, 'old.yaml'), indexYaml({ web: [{ version: '1.0.0', url: 'x' }, { version: '0.9.0' }] }));
  t.is(
    (await helm('repo', 'index', join(home, 'charts'), '--url', 'https://host/a', '--merge', join(home, 'old.yaml')))
      .code,
    0,
  );
  const index = await readFile(join(home, 'charts/index.yaml'), 'utf8');
  t.is(
    index.replaceAll(/"?20\d\d-[^"\n]*"?/g, 'TIME'),
    `apiVersion: v1
entries:
  web:
  - apiVersion: v2
    created: TIME
    description: a server
    digest: ${sha256(archive)}
    name: web
    urls:
    - https://host/a/web-1.0.0.tgz
    version: 1.0.0
  - apiVersion: v2
    created: TIME
    name: web
    urls:
    - web-0.9.0.tgz
    version: 0.9.0
generated: TIME
`,
  );
  t.is((await helm('repo', 'index', join(home, 'charts'), '--json')).code, 0);
  t.is(
    (JSON.parse(await readFile(join(home, 'charts/index.yaml'), 'utf8')) as { apiVersion: string }).apiVersion,
    'v1',
  );
});

test('a chart is pulled into a folder, packed or not', async (t) => {
  const { url } = await serveWeb(t);
  const { home, helm } = await helmHome(t);
  t.is((await helm('pull', 'web', '--repo', url, '-d', home)).code, 0);
  t.deepEqual(await readFile(join(home, 'web-1.0.0.tgz')), await packChart('a server'));
  t.is((await helm('pull', `${url}/web-1.0.0.tgz`, '--untar', '-d', home, '--untardir', 'a')).code, 0);
  t.is(await readFile(join(home, 'a/web/Chart.yaml'), 'utf8'), chartYaml('a server'));
  await helm('repo', 'add', 'team', url);
  t.is((await helm('pull', 'team/web', '--untar', '-d', home)).code, 0);
  t.is(
    (await helm('pull', 'team/web', '--untar', '-d', home)).stderr,
    'Error: failed to untar: a file or directory with the name HOME/web already exists\n',
  );
  t.is(
    (await helm('pull', `${url}/none.tgz`, '-d', home)).stderr,
    `Error: failed to fetch ${url}/none.tgz : 404 Not Found\n`,
  );
});

test('repo list prints what it can read of repositories.yaml, and repo add names the wrong type', async (t) => {
  const { home, helm } = await helmHome(t);
  const path = join(home, 'config/repositories.yaml');
  await mkdir(join(home, 'config'));
  // helm repo list; helm repo add team URL
  await writeFile(path, 'repositories:\n- {name: q, url: http://q, insecure_skip_tls_verify: 5}\n- 1\n');
  t.deepEqual(await helm('repo', 'list', '--no-headers'), {
    code: 0,
    stdout: 'q\thttp://q\n \t        \n',
    stderr: '',
  });
  await writeFile(path, 'repositories: x\n');
  t.is((await helm('repo', 'list')).stderr, 'no repositories to show\n');
  const error = 'json: cannot unmarshal string into Go struct field File.repositories of type []*repo.Entry';
  const { stderr } = await helm('repo', 'add', 'team', 'http://127.0.0.1:1');
  t.is(stderr, `Error: error unmarshaling JSON: while decoding JSON: ${error}\n`);
});
