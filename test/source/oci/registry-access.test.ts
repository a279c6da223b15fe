import test, { type ExecutionContext } from 'ava';
import { MockAgent } from 'undici';
import { defaultDownloadSettings } from '../../../src/source/download-settings.ts';
import { pullProvenance } from '../../../src/source/oci/pull-chart.ts';
import { checkCredentials } from '../../../src/source/oci/registry-access.ts';
import { packChart } from '../packed-chart.ts';
import { serveRegistry } from '../test-registry.ts';

const provenance = Buffer.from('signed');

/** Returns settings with which the requests to a host of the internet come to another server. */
function redirectedTo(t: ExecutionContext, url: string, host: string) {
  const agent = new MockAgent();
  t.teardown(() => agent.close());
  agent.disableNetConnect();
  const answer = async ({ path, headers }: { path: string; headers?: object }) => {
    const response = await fetch(`${url}${path}`, { headers: Object.entries(headers ?? {}) });
    return { statusCode: response.status, data: Buffer.from(await response.arrayBuffer()) };
  };
  agent.get(`https://${host}`).intercept({ path: /^/ }).reply(answer).persist();
  return { dispatcher: agent, plainHttp: false, timeoutMs: defaultDownloadSettings.timeoutMs };
}

test('a chart of docker.io comes from the registry of Docker Hub, and keeps its name', async (t) => {
  const { url, digests } = await serveRegistry(t, { '1.0.0': await packChart('1.0.0') }, { provenance });
  const pulled: string[][] = [];
  const settings = {
    ...redirectedTo(t, url, 'registry-1.docker.io'),
    onPulled: (...report: string[]) => pulled.push(report),
  };
  await pullProvenance('oci://docker.io/team/web:1.0.0', {}, settings, AbortSignal.timeout(20_000));
  t.deepEqual(pulled, [['docker.io/team/web:1.0.0', digests['1.0.0']]]);
});

test('a login to docker.io is one to the registry of Docker Hub', async (t) => {
  const { url, requests } = await serveRegistry(t, {});
  const settings = redirectedTo(t, url, 'registry-1.docker.io');
  await checkCredentials('docker.io', { username: 'joe', password: 'x' }, settings, AbortSignal.timeout(20_000));
  t.true(requests.every(({ url }) => url === '/v2/'));
  t.regex(requests.at(-1)?.authorization ?? '', /^Basic /);
});

test('an error about a chart has the reason of the registry', async (t) => {
  const { host, responses } = await serveRegistry(t, {});
  const errors = [{ code: 'MANIFEST_UNKNOWN', message: 'manifest unknown' }];
  responses['/v2/team/web/manifests/1.0.0'] = (_, response) => {
    response.writeHead(404).end(JSON.stringify({ errors }));
  };
  const settings = { dispatcher: undefined, plainHttp: true, onPulled: undefined, timeoutMs: 20_000 };
  const pulled = pullProvenance(`oci://${host}/team/web:1.0.0`, {}, settings, AbortSignal.timeout(20_000));
  const message = /was not found at .* \(status 404: manifest unknown: manifest unknown\); check the URL/;
  await t.throwsAsync(pulled, { code: 'repository_not_found', message });
});
