import { gunzipSync } from 'node:zlib';
import test from 'ava';
import { serveRegistry } from '../source/test-registry.ts';
import { guardedBy, indexYaml, serve } from '../source/test-repository.ts';
import { packedApp } from './support/archive.ts';
import { agentId, answerOf, failureOf, startWorld } from './support/world.ts';

const world = startWorld({ plainHttp: true, journal: 'cluster' });
test.after.always(async () => (await world).close());

const archive = packedApp({ 'map.yaml': 'apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: app\n' });
const password = 'Sentinel4711';

async function createSecret(
  name: string,
  fields: { annotations?: Record<string, string>; type?: string; stringData: Record<string, string> },
) {
  const { cluster } = await world;
  const { annotations = {}, type = 'Opaque', stringData } = fields;
  const data = Object.fromEntries(
    Object.entries(stringData).map(([key, text]) => [key, Buffer.from(text).toString('base64')]),
  );
  const metadata = { name, namespace: cluster.namespace, annotations };
  await cluster.create({ apiVersion: 'v1', kind: 'Secret', metadata, type, data });
}

test('a chart is downloaded with the credentials of a Secret, which appear nowhere else', async (t) => {
  const { plane, cluster, lines } = await world;
  const packed = await archive;
  const guarded = guardedBy('ada', password);
  const { url } = await serve(t, {
    '/index.yaml': guarded(indexYaml({ app: [{ version: '1.0.0' }] })),
    '/app-1.0.0.tgz': guarded(packed),
  });
  const annotations = { 'helm-agent/chart-hosts': url };
  await createSecret('charts', { annotations, stringData: { username: 'ada', password } });
  const command = plane.install(agentId, {
    ...{ releaseName: 'app', namespace: 'shop', repoUrl: url, chartName: 'app' },
    credentialsFrom: { secret: 'charts' },
  });
  const events: string[] = [];
  for await (const event of command) events.push(JSON.stringify(event));
  t.true((await command.result).ok);
  const [record] = await cluster.list({ apiVersion: 'v1', kind: 'Secret', namespace: 'shop' });
  // a Secret of Helm has its text in base64 twice
  const { release } = record?.['data'] as { release: string };
  const stored = gunzipSync(Buffer.from(Buffer.from(release, 'base64').toString(), 'base64')).toString();
  t.true(stored.includes('"name":"app"'));
  t.false([...events, ...lines, stored].some((text) => text.includes(password)));
});

test('a chart is pulled with the credentials of an image pull Secret', async (t) => {
  const { plane } = await world;
  const { host } = await serveRegistry(t, { '1.0.0': await archive }, { password });
  const auths = { [host]: { username: 'joe', password } };
  const stringData = { '.dockerconfigjson': JSON.stringify({ auths }) };
  await createSecret('registries', { type: 'kubernetes.io/dockerconfigjson', stringData });
  const command = plane.template(agentId, {
    ...{ releaseName: 'app', chartName: `oci://${host}/team/web`, chartVersion: '1.0.0' },
    credentialsFrom: { secret: 'registries' },
  });
  t.regex((await answerOf(command)).manifest, /kind: ConfigMap/);
});

test('a Secret that does not exist is an error that says where to create it', async (t) => {
  const { plane } = await world;
  const chart = { releaseName: 'none', namespace: 'shop', repoUrl: 'https://charts.example', chartName: 'app' };
  const { code, message } = await failureOf(plane.install(agentId, { ...chart, credentialsFrom: { secret: 'none' } }));
  t.is(code, 'repository_unauthorized');
  t.is(
    message,
    'credentialsFrom: the Secret "none" in the namespace default of the agent does not exist; create it there',
  );
});

test('a Secret of the agent that is not for charts is refused', async (t) => {
  const { plane } = await world;
  await createSecret('token', { stringData: { token: password } });
  const chart = { releaseName: 'none', namespace: 'shop', repoUrl: 'https://charts.example', chartName: 'app' };
  const { message } = await failureOf(plane.install(agentId, { ...chart, credentialsFrom: { secret: 'token' } }));
  t.is(
    message,
    'credentialsFrom: the Secret token is not for charts.example; add charts.example to its annotation helm-agent/chart-hosts to allow it',
  );
});

test('a Secret and a password together are refused', async (t) => {
  const { plane } = await world;
  const both = { credentialsFrom: { secret: 'charts' }, repoPassword: password };
  const { code } = await failureOf(
    plane.install(agentId, { releaseName: 'none', chartName: 'https://x/a.tgz', ...both }),
  );
  t.is(code, 'bad_payload');
});
