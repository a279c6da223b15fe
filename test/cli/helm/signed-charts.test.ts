import { mkdir, readdir, readFile, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { testAgent } from '../../agent/support/agent.ts';
import { PuppetHandlers } from '../../agent/support/handlers.ts';
import { testRelease } from '../../agent/support/release.ts';
import { testPlane } from '../../control-plane/support/plane.ts';
import { serveRegistry } from '../../source/test-registry.ts';
import { indexYaml, serve, sha256 } from '../../source/test-repository.ts';
import { testProgram } from '../support/program.ts';
import { helmHome } from './support/helm-home.ts';
import { fixtureFolder } from './support/signature-lines.ts';

const keyring = ['--keyring', join(fixtureFolder, 'public.gpg')];
const fixture = (name: string) => readFile(join(fixtureFolder, name));

/** Serves the charts `good` with a signature, `bad` with a wrong one, and `bare` without one. */
async function serveSigned(t: ExecutionContext) {
  const archive = await fixture('test.tgz');
  const entry = (url: string) => [{ version: '1.0.0', url, digest: sha256(archive) }];
  const index = indexYaml({ good: entry('test.tgz'), bad: entry('changed.tgz'), bare: entry('bare.tgz') });
  const { url, requests } = await serve(t, {
    '/index.yaml': index,
    ...Object.fromEntries(['test', 'changed', 'bare'].map((name) => [`/${name}.tgz`, archive])),
    '/test.tgz.prov': await fixture('test.tgz.prov'),
    '/changed.tgz.prov': await fixture('changed.tgz.prov'),
  });
  const home = await helmHome(t);
  const out = join(home.home, 'out');
  await mkdir(out);
  await home.helm('repo', 'add', 'team', url);
  const filesIn = async (folder: string) => (await readdir(folder).catch(() => [])).toSorted();
  return { ...home, url, out, filesIn, requests };
}

const isSigned =
  /^Signed by: helm-agent test <test@example\.com>\nUsing Key With Fingerprint: [0-9A-F]{40}\nChart Hash Verified: sha256:[0-9a-f]{64}\n$/;

test('pull --verify saves the chart and its signature, and prints who has signed it', async (t) => {
  const { helm, out, filesIn } = await serveSigned(t);
  const { stdout, code } = await helm('pull', 'team/good', '--verify', ...keyring, '-d', out);
  t.is(code, 0);
  t.regex(stdout, isSigned);
  t.deepEqual(await filesIn(out), ['test.tgz', 'test.tgz.prov']);
});

test('pull --verify fails for a wrong signature and without one, and leaves the files as helm does', async (t) => {
  const { helm, out, url, filesIn } = await serveSigned(t);
  const pull = async (chart: string, ...more: string[]) => {
    const { stdout, stderr, code } = await helm('pull', chart, '--verify', ...keyring, '-d', out, ...more);
    t.deepEqual({ stdout, code }, { stdout: '', code: 1 });
    return stderr;
  };
  t.is(await pull('team/bad'), 'Error: openpgp: invalid signature: EdDSA verification failure\n');
  t.is(await pull('team/bare'), `Error: failed to fetch provenance "${url}/bare.tgz.prov"\n`);
  t.deepEqual(await filesIn(out), ['bare.tgz', 'changed.tgz', 'changed.tgz.prov']);
  await pull('team/bad', '--untar', '--untardir', 'unpacked');
  t.deepEqual(await filesIn(join(out, 'unpacked')), []);
});

test('pull --prov saves a signature without verifying it, and warns if there is none', async (t) => {
  const { helm, out, url, filesIn } = await serveSigned(t);
  t.is((await helm('pull', 'team/bad', '--prov', '-d', out)).stdout, '');
  const warning = (name: string) =>
    `WARNING: Verification not found for ${name}: failed to fetch ${url}/bare.tgz.prov : 404 Not Found\n`;
  t.is((await helm('pull', 'team/bare', '--prov', '-d', out)).stdout, warning('team/bare'));
  const { stdout } = await helm('pull', 'bare', '--repo', url, '--prov', '-d', out);
  t.is(stdout, warning(`${url}/bare.tgz`));
  t.deepEqual(await filesIn(out), ['bare.tgz', 'changed.tgz', 'changed.tgz.prov']);
});

test('template --verify renders only what is signed, and keeps the signature in the cache', async (t) => {
  const { home, helm, url, requests } = await serveSigned(t);
  const template = (name: string) => helm('template', name, '--repo', url, '--verify', ...keyring);
  t.is((await template('good')).code, 0);
  const problem = 'provenance does not contain a SHA for a file named "changed.tgz"';
  t.is((await template('bad')).stderr, `Error: ${problem}\n`, 'the cache has the signature of an equal archive');
  const digest = sha256(await fixture('test.tgz'));
  const cached = join(home, `cache/content/${digest.slice(0, 2)}/${digest}.prov`);
  t.deepEqual(await readFile(cached), await fixture('test.tgz.prov'));
  const asked = () => requests.filter(({ url: path }) => path.endsWith('.prov')).length;
  t.is(asked(), 1);
  t.is((await template('good')).code, 0);
  t.is(asked(), 1);
});

async function writeApp(home: string, dependency: string, url: string): Promise<string> {
  const app = join(home, 'app');
  await mkdir(app);
  const list = `dependencies:\n- {name: ${dependency}, version: 1.0.0, repository: "${url}"}\n`;
  await writeFile(join(app, 'Chart.yaml'), `apiVersion: v2\nname: app\nversion: 1.0.0\n${list}`);
  return app;
}

const dependencies = test.macro({
  title: (_, command: string, chart: string) => `dependency ${command} --verify of a dependency that is ${chart}`,
  async exec(t, command: string, chart: string, files: readonly string[], expected: string) {
    const { home, helm, url, filesIn } = await serveSigned(t);
    const app = await writeApp(home, chart, url);
    const { stdout, code } = await helm('dependency', command, app, '--verify', ...keyring);
    t.is(code, files.length > 0 ? 0 : 1);
    const part = stdout.replaceAll(url, 'URL').replaceAll(/tmpcharts-\d+/g, 'TEMPORARY');
    t.true(part.includes(expected), part);
    t.deepEqual(await filesIn(join(app, 'charts')), files);
  },
});

const notMoved =
  "Could not verify HOME/app/TEMPORARY/test.tgz.prov for moving: file 'HOME/app/TEMPORARY/test.tgz.prov' does not appear to be a gzipped archive; got 'application/octet-stream' (Skipping)Deleting outdated charts\n";
const invalid =
  'Save error occurred:  could not download URL/changed.tgz: openpgp: invalid signature: EdDSA verification failure\n';
const missing = 'could not download URL/bare.tgz: failed to fetch provenance "URL/bare.tgz.prov"\n';
const warned =
  'WARNING: Verification not found for URL/bare.tgz: failed to fetch URL/bare.tgz.prov : 404 Not Found\nDeleting';

test(dependencies, 'update', 'good', ['test.tgz'], notMoved);
test(dependencies, 'update', 'bad', [], invalid);
test(dependencies, 'update', 'bare', [], missing);
test(dependencies, 'build', 'good', ['test.tgz'], notMoved);
test(dependencies, 'build', 'bad', [], invalid);
test(dependencies, 'build', 'bare', ['bare.tgz'], warned);

test('a chart that package signs is verified when it is pulled from a registry', async (t) => {
  const { home, helm } = await helmHome(t);
  const passphrase = join(home, 'passphrase');
  await writeFile(passphrase, 'secret\nnot this\n');
  const key = ['--sign', '--key', 'locked@', '--keyring', join(fixtureFolder, 'secret.gpg')];
  const packed = await helm('package', 'examples/charts/web', '-d', home, ...key, '--passphrase-file', passphrase);
  t.is(packed.stderr, '');
  const archive = await readFile(join(home, 'web-1.0.0.tgz'));
  const provenance = await readFile(join(home, 'web-1.0.0.tgz.prov'));
  const { host } = await serveRegistry(t, { '1.0.0': archive }, { provenance });
  const out = join(home, 'out');
  await mkdir(out);
  const pull = (...more: string[]) => helm('pull', `oci://${host}/team/web`, '--plain-http', '-d', out, ...more);
  const { stdout } = await pull('--verify', ...keyring);
  const lines = stdout.split('\n');
  t.deepEqual(lines.slice(0, 2), lines.slice(2, 4), 'helm pulls the signature like a chart');
  t.is(lines[0], `Pulled: ${host}/team/web:1.0.0`);
  t.is(lines[4], 'Signed by: helm-agent locked <locked@example.com>');
  t.deepEqual(await readFile(join(out, 'web-1.0.0.tgz.prov')), provenance);

  const bare = await serveRegistry(t, { '1.0.0': archive });
  const url = `oci://${bare.host}/team/web`;
  const refused = await helm('pull', url, '--plain-http', '-d', out, '--verify', ...keyring);
  t.is(refused.stderr, `Error: failed to fetch provenance "${url}:1.0.0.prov"\n`);
  const warning = (await helm('pull', url, '--plain-http', '-d', out, '--prov')).stdout;
  const layer = 'application/vnd.cncf.helm.chart.provenance.v1.prov';
  const problem = `manifest does not contain a layer with mediatype ${layer}`;
  t.true(warning.endsWith(`WARNING: Verification not found for ${url}: ${problem}\n`), warning);
});

test('keyrings and signatures that are too large are refused', async (t) => {
  const { home, helm } = await helmHome(t);
  const large = async (name: string, bytes: number) => {
    await writeFile(join(home, name), '');
    await truncate(join(home, name), bytes + 1);
  };
  await writeFile(join(home, 'web.tgz'), await fixture('test.tgz'));
  await large('web.tgz.prov', 8 * 2 ** 20);
  const tooLarge = await helm('verify', join(home, 'web.tgz'), ...keyring);
  const sized = 'HOME/web.tgz.prov is larger than the limit of 8388608 bytes';
  t.is(tooLarge.stderr, `Error: failed to read provenance file: ${sized}\n`);
  await large('keyring', 64 * 2 ** 20);
  const { stderr } = await helm('verify', join(fixtureFolder, 'test.tgz'), '--keyring', join(home, 'keyring'));
  t.is(stderr, 'Error: failed to load keyring: HOME/keyring is larger than the limit of 67108864 bytes\n');
});

test('with --verify, a chart for an agent is verified here, and sent', async (t) => {
  const { home, url: repository } = await serveSigned(t);
  const { url, agentUrl, plane } = await testPlane(t);
  const received: { chartName?: string | undefined; bytes: number }[] = [];
  const handlers = {
    ...new PuppetHandlers().handlers,
    install_release(payload: { releaseName: string; chartName?: string; chartArchive?: string | undefined }) {
      const { releaseName, chartName, chartArchive = '' } = payload;
      received.push({ chartName, bytes: Buffer.from(chartArchive, 'base64').length });
      const chart = { metadata: { name: 'web' } };
      return Promise.resolve({ release: testRelease(releaseName, { chart, manifest: '', config: {} }) });
    },
  };
  await testAgent(t, { controlPlaneUrl: agentUrl, handlers });
  await plane.waitForAgent('edge-1');
  const install = async (chart: string, ...more: string[]) => {
    const env = {
      HOME: home,
      HELM_AGENT_SERVER: url,
      HELM_AGENT_AGENT: 'edge-1',
      HELM_CACHE_HOME: join(home, chart),
    };
    const { run, stderr } = testProgram({ env });
    await run('helm', 'install', 'web', chart, '--repo', repository, ...more);
    return stderr.text;
  };
  t.is(await install('good', '--verify', ...keyring), '');
  t.regex(await install('bad', '--verify', ...keyring), /EdDSA verification failure/);
  t.is(await install('good'), '');
  const archive = await fixture('test.tgz');
  t.deepEqual(
    received.map(({ bytes }) => bytes),
    [archive.length, 0],
  );
});
