import test, { type ExecutionContext } from 'ava';
import type { CommandParameters } from '../../src/protocol/commands/index.ts';
import { defaultRenderLimits } from '../../src/render/limits.ts';
import { indexYaml, serve, type TestResponse } from '../source/test-repository.ts';
import { atMost } from '../support/at-most.ts';
import { archiveOf, chartYaml, hugeFile, packedApp, serveApp, zipBomb } from './support/archive.ts';
import { dialAgent } from './support/client.ts';
import { agentId, answerOf, contentsOf, failureOf, startWorld } from './support/world.ts';

const world = startWorld({
  listen: { host: '127.0.0.1', port: 0 },
  // a busy machine needs long to unpack an archive up to the limit
  limits: { render: { ...defaultRenderLimits, steps: 1_000_000, milliseconds: 120_000 } },
});
const hasty = startWorld({
  downloadTimeoutMs: 3000,
  limits: { render: { ...defaultRenderLimits, steps: Infinity, milliseconds: 1000 } },
});
test.after.always(async () => {
  await (await world).close();
  await (await hasty).close();
});

interface Expected {
  code: string;
  message: RegExp;
  position?: object;
  /** Whether the namespace remains, empty, after its objects are refused, as in Helm. */
  namespaceStays?: boolean;
  /** Whether to use the agent with short time limits. */
  soon?: boolean;
}

/** Returns parameters of an installation that fails. */
type Given = (t: ExecutionContext) => Promise<Partial<CommandParameters['install_release']>>;

atMost(8, test);

const releases = { count: 0 };

const refused = test.macro(async (t, given: Given, expected: Expected) => {
  const { plane, cluster } = await (expected.soon === true ? hasty : world);
  const namespace = `bad-${++releases.count}`;
  const defaults = { releaseName: 'app', namespace, chartName: 'app', timeout: '5m' };
  const error = await failureOf(plane.install(agentId, { ...defaults, ...(await given(t)) }));
  t.is(error.code, expected.code, error.message);
  t.regex(error.message, expected.message);
  t.deepEqual(error.position, expected.position);

  const { releases: listed } = await answerOf(plane.list(agentId, { namespace }));
  t.deepEqual(listed, []);
  t.deepEqual(await contentsOf(cluster, namespace), []);
  const created = await cluster.get({ apiVersion: 'v1', kind: 'Namespace', name: namespace });
  t.is(created?.metadata.name, expected.namespaceStays === true ? namespace : undefined);
});

const refusedNamespace = test.macro(async (t, namespace: string) => {
  const { plane } = await world;
  const error = await failureOf(plane.install(agentId, { releaseName: 'app', chartName: 'web', namespace }));
  t.is(error.code, 'invalid_namespace');
  t.true(error.message.startsWith(`invalid namespace ${JSON.stringify(namespace)}: `), error.message);
});

const configMap = (data: string, name = '{{ .Release.Name }}') =>
  `apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: ${name}\ndata:\n${data}\n`;
const web =
  (parameters: Partial<CommandParameters['install_release']>): Given =>
  () =>
    Promise.resolve({ chartName: 'web', ...parameters });
const repository =
  (index: TestResponse, parameters: object = {}): Given =>
  async (t) => ({ repoUrl: (await serve(t, { '/index.yaml': index })).url, ...parameters });
const status =
  (code: number): TestResponse =>
  (_request, response) =>
    response.writeHead(code).end('no');
const archive =
  (make: () => Buffer | Promise<Buffer>): Given =>
  async (t) => ({ repoUrl: (await serveApp(t, await make())).url });
const template = (text: string): Given => archive(() => packedApp({ 'bad.yaml': text }));

for (const releaseName of ['Web', 'a_b', '-web', 'web.', 'x'.repeat(54)]) {
  test(`the release name ${releaseName} is refused`, refused, web({ releaseName }), {
    code: 'invalid_release_name',
    message: /^release name check failed: release name ".+": invalid release name, must match regex/,
  });
}
for (const namespace of ['Shop', 'a.b', 'a/../b', 'x'.repeat(64)]) {
  test(`the namespace ${namespace} is refused`, refusedNamespace, namespace);
}
test('values that are a list are refused', refused, web({ values: '- a\n- b\n' }), {
  code: 'values_invalid',
  message: /^values: give a YAML mapping: /,
  position: { file: 'values' },
});
test('values that are not YAML are refused with the line', refused, web({ values: 'a: 1\nb: [\n' }), {
  code: 'values_invalid',
  message: /^values: give a YAML mapping: /,
  position: { file: 'values', line: 2 },
});

test('an error names a repository that responds with 401', refused, repository(status(401)), {
  code: 'repository_unauthorized',
  message: /status 401; none were sent; give a user name and a password/,
});
test('an error names a repository that responds with 404', refused, repository(status(404)), {
  code: 'repository_not_found',
  message: /the index of the chart repository was not found at http:\/\/127\.0\.0\.1:\d+\/index\.yaml \(status 404\)/,
});
test('an error names a repository that responds with 500', refused, repository(status(500)), {
  code: 'repository_failed',
  message: /index\.yaml responded with status 500; try again later/,
});
test('an error names a repository whose index is garbage', refused, repository(Buffer.from([0, 1, 2, 0xff])), {
  code: 'repository_invalid',
  message: /index\.yaml/,
});
test('an error names a repository whose index is a web page', refused, repository('<html><body>Hello</body></html>'), {
  code: 'repository_invalid',
  message: /index\.yaml/,
});
test(
  'a repository that never responds causes a timeout',
  refused,
  repository(() => undefined),
  {
    code: 'repository_timeout',
    soon: true,
    message: /^timed out while .* did not respond within 3 s; check that it can be reached from the agent's machine$/,
  },
);
test(
  'a repository whose response never ends causes a timeout',
  refused,
  repository((_request, response) => response.writeHead(200).write('apiVersion: v1\n')),
  { code: 'repository_timeout', soon: true, message: /did not respond within 3 s/ },
);
test(
  'an error names a repository that cannot be reached',
  refused,
  () => Promise.resolve({ repoUrl: 'http://127.0.0.1:1' }),
  {
    code: 'repository_failed',
    message: /ECONNREFUSED.*; check the URL/,
  },
);
test('an error names an index without the chart', refused, repository(indexYaml({ other: [{ version: '1.0.0' }] })), {
  code: 'chart_not_found',
  message: /has no chart "app" among its 1; check the chart's name/,
});
for (const chartVersion of ['2.0.0', '>=1.1', '~0.9']) {
  const given = repository(indexYaml({ app: [{ version: '1.0.0' }] }), { chartVersion });
  test(`the version ${chartVersion} is refused if no chart satisfies it`, refused, given, {
    code: 'version_not_found',
    message: /1\.0\.0/,
  });
}
test(
  'an invalid version is refused',
  refused,
  repository(indexYaml({ app: [{ version: '1.0.0' }] }), { chartVersion: 'newest!' }),
  {
    code: 'invalid_version',
    message: /"newest!"/,
  },
);
test(
  'an error names an archive that the repository does not have',
  refused,
  repository(indexYaml({ app: [{ version: '1.0.0' }] })),
  {
    code: 'repository_not_found',
    message: /app-1\.0\.0\.tgz \(status 404\)/,
  },
);

for (const chartName of ['../..', '/etc', 'web/../../charts', '..\\web']) {
  test(`the path ${chartName} outside --local-charts is refused`, refused, web({ chartName }), {
    code: 'path_forbidden',
    message: /leads out of the folder of --local-charts; give a path below it/,
  });
}
test('an error names a path that does not exist', refused, web({ chartName: 'nothing' }), {
  code: 'chart_not_found',
  message: /"nothing"/,
});

test(
  'a file that is not an archive is refused',
  refused,
  archive(() => Buffer.from('no archive')),
  {
    code: 'chart_invalid',
    message: /does not appear to be a gzipped archive/,
  },
);
test(
  'a truncated archive is refused',
  refused,
  archive(async () => (await packedApp({})).subarray(0, 80)),
  {
    code: 'chart_invalid',
    message: /^the chart archive is corrupt: /,
  },
);
test(
  'an archive with a path outside it is refused',
  refused,
  archive(() => archiveOf({ 'app/Chart.yaml': chartYaml('app'), 'app/../../evil': 'x' })),
  { code: 'chart_invalid', message: /illegally references parent directory/ },
);
test(
  'an archive with a link is refused',
  refused,
  archive(() => archiveOf({ 'app/Chart.yaml': chartYaml('app'), 'app/values.yaml': { linkTo: '/etc/passwd' } })),
  { code: 'chart_invalid', message: /contains a link, which is not allowed: "app\/values\.yaml"/ },
);
test('an archive that unpacks to gigabytes is refused', refused, archive(zipBomb), {
  code: 'too_large',
  message: /^decompressed chart is larger than the maximum size 104857600$/,
});
test('an archive with a file of gigabytes is refused', refused, archive(hugeFile), {
  code: 'too_large',
  message: /^decompressed chart is larger than the maximum size 104857600$/,
});

test('an error names a template that cannot be parsed, with its line', refused, template('a: 1\nb: {{ if }}\n'), {
  code: 'render_failed',
  message: /^parse error at \(app\/templates\/bad\.yaml:2\): missing value for if$/,
  position: { file: 'app/templates/bad.yaml', line: 2 },
});
test(
  'an error names a template that fails, with line and column',
  refused,
  template('a: 1\nb: {{ fail "no luck" }}\n'),
  {
    code: 'render_failed',
    message: /app\/templates\/bad\.yaml:2:6.*no luck/s,
    position: { file: 'app/templates/bad.yaml', line: 2, column: 6 },
  },
);
const endless = template('{{ range 1000000000000 }}{{ end }}');
test('an endless template is stopped after many steps', refused, endless, {
  code: 'render_limit',
  message: /1000000 steps/,
  position: { file: 'app/templates/bad.yaml', line: 1, column: 9 },
});
for (const time of ['first', 'second']) {
  test(`an endless template is stopped at the time limit, the ${time} time`, refused, endless, {
    code: 'render_limit',
    message: /^app\/templates\/bad\.yaml:1:9: template .* takes more than 1 s; look for a template that never ends$/,
    position: { file: 'app/templates/bad.yaml', line: 1, column: 9 },
    soon: true,
  });
}
test(
  'an error names a template that fails with megabytes of text',
  refused,
  template('{{ fail (repeat 16000000 "x") }}'),
  {
    code: 'render_failed',
    message: /^execution error at \(app\/templates\/bad\.yaml:1:3\): xxx/,
    position: { file: 'app/templates/bad.yaml', line: 1, column: 3 },
  },
);
test(
  'templates that include each other endlessly are stopped',
  refused,
  template('{{ define "a" }}{{ include "a" . }}{{ end }}{{ include "a" . }}'),
  {
    code: 'render_limit',
    message: /rendering template has a nested reference name: a/,
    position: { file: 'app/templates/bad.yaml', line: 1, column: 19 },
  },
);

test(
  'an object without a name is refused before anything changes',
  refused,
  template('apiVersion: v1\nkind: ConfigMap\n'),
  {
    code: 'invalid_manifest',
    message: /resource name may not be empty$/,
  },
);
test(
  'an object of an unknown kind is refused before anything changes',
  refused,
  template('apiVersion: v1\nkind: Gadget\nmetadata:\n  name: a\n'),
  {
    code: 'invalid_manifest',
    message: /no matches for kind "Gadget" in version "v1"/,
  },
);
test('an object with a field of the wrong type is refused', refused, template(configMap('  port: 80')), {
  code: 'apply_failed',
  message: /port/,
  namespaceStays: true,
});
test('an object with an invalid name is refused', refused, template(configMap('  a: b', 'Not_Allowed')), {
  code: 'apply_failed',
  message: /Not_Allowed/,
  namespaceStays: true,
});
test(
  'objects that were created before another one is refused are deleted',
  refused,
  template(`${configMap('  a: b')}---\n${configMap('  port: 80', 'second')}`),
  {
    code: 'apply_failed',
    message: /^release app failed, and has been uninstalled due to rollback-on-failure being set: /,
    namespaceStays: true,
  },
);

test('paths are refused without --local-charts', async (t) => {
  const closed = await startWorld({ localCharts: undefined });
  t.teardown(() => closed.close());
  const error = await failureOf(closed.plane.install(agentId, { releaseName: 'app', chartName: 'web' }));
  t.is(error.code, 'local_charts_disabled');
  t.regex(error.message, /start the agent with --local-charts DIR$/);
  t.deepEqual((await answerOf(closed.plane.list(agentId))).releases, []);
});

const badFrame = test.macro(async (t, frame: string, heading: object, code: string, message: RegExp) => {
  const { agent } = await world;
  const client = await dialAgent(t, agent.port, ['helm-agent.v1']);
  client.send(frame);
  const { payload = '', ...answer } = await client.packet(({ type }) => type === 'result');
  t.deepEqual(answer, { ...heading, type: 'result' });
  const { ok, error } = JSON.parse(payload) as { ok: boolean; error: { code: string; message: string } };
  t.false(ok);
  t.is(error.code, code);
  t.regex(error.message, message);
  client.send({ key: 'alive', type: 'list_releases' });
  t.regex((await client.packet(({ type, key }) => type === 'result' && key === 'alive')).payload ?? '', /^{"ok":true/);
});

test('a frame that is not JSON gets an error', badFrame, 'install!', {}, 'bad_packet', /^packet: must be JSON text$/);
test('a frame that is not an object gets an error', badFrame, '[]', {}, 'bad_packet', /^packet: /);
test('a packet without a type gets an error', badFrame, '{"key":"k"}', { key: 'k' }, 'bad_packet', /type is required/);
test(
  'a packet of an unknown type gets an error',
  badFrame,
  '{"key":"k","type":"reboot"}',
  { key: 'k' },
  'unknown_command',
  /^unknown command "reboot"; known commands: install_release, /,
);
for (const [payload, message] of [
  ['{"releaseName":', /payload: must be JSON text/],
  ['[]', /payload/],
  ['{"chartName":"web"}', /releaseName/],
  ['{"releaseName":7,"chartName":"web"}', /releaseName/],
  ['{"releaseName":"a","chartName":"web","timeout":"soon"}', /timeout/],
] as const) {
  const frame = JSON.stringify({ key: 'k', type: 'install_release', payload });
  test(`the payload ${payload} gets an error`, badFrame, frame, { key: 'k' }, 'bad_payload', message);
}
