import test from 'ava';
import { serveRegistry } from '../source/test-registry.ts';
import { packedApp } from './support/archive.ts';
import { agentId, answerOf, failureOf, startWorld } from './support/world.ts';

const world = startWorld({ plainHttp: true });
test.after.always(async () => (await world).close());

const app = (size: string) =>
  packedApp({ 'map.yaml': `apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: app\ndata:\n  size: ${size}\n` });

async function sizeIn(namespace: string): Promise<unknown> {
  const { cluster } = await world;
  const object = await cluster.get({ apiVersion: 'v1', kind: 'ConfigMap', namespace, name: 'app' });
  return object?.['data'];
}

test('installs and upgrades a chart from an OCI registry', async (t) => {
  const { plane } = await world;
  const archives = { '1.0.0': await app('small'), '1.1.0': await app('large'), '2.0.0-rc.1': await app('huge') };
  const { host } = await serveRegistry(t, archives, { password: 'secret' });
  const release = { releaseName: 'app', namespace: 'registry', repoUserName: 'joe', repoPassword: 'secret' };

  await answerOf(plane.install(agentId, { ...release, chartName: `oci://${host}/team/web`, chartVersion: '~1.0' }));
  t.deepEqual(await sizeIn('registry'), { size: 'small' });

  await answerOf(plane.upgrade(agentId, { ...release, repoUrl: `oci://${host}/team`, chartName: 'web' }));
  t.deepEqual(await sizeIn('registry'), { size: 'large' });
});

test('reports credentials that the registry refuses, without repeating them', async (t) => {
  const { plane, lines } = await world;
  const { host } = await serveRegistry(t, { '1.0.0': await app('small') }, { password: 'secret' });
  const command = plane.install(agentId, {
    releaseName: 'app',
    namespace: 'refused',
    chartName: `oci://${host}/team/web`,
    repoUserName: 'joe',
    repoPassword: 'Sentinel4711',
  });
  const { code, message } = await failureOf(command);
  t.is(code, 'repository_unauthorized');
  t.regex(message, /the registry's token requires valid credentials: http:.*\/token.* responded with status 401/);
  t.false([message, ...lines].some((text) => text.includes('Sentinel4711')));
});
