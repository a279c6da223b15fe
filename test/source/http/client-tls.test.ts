import { once } from 'node:events';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import test from 'ava';
import { processHost } from '../../../src/render/process-host.ts';
import { makeCertificates } from '../../../src/sandbox/certificates.ts';
import { createChartSource } from '../../../src/source/chart-source.ts';
import { packChart } from '../packed-chart.ts';
import { indexYaml, sha256 } from '../test-repository.ts';

const { ca, certificate, key } = makeCertificates(processHost(), '127.0.0.1');
const client = makeCertificates(processHost(), '127.0.0.1');
const web = await packChart('web');
const manifest = JSON.stringify({
  layers: [{ mediaType: 'application/vnd.cncf.helm.chart.content.v1.tar+gzip', digest: `sha256:${sha256(web)}` }],
});
const responses: Record<string, string | Buffer> = {
  '/index.yaml': indexYaml({ web: [{ version: '1.0.0' }] }),
  '/web-1.0.0.tgz': web,
  '/v2/': '{}',
  '/v2/team/web/manifests/1.0.0': manifest,
  [`/v2/team/web/blobs/sha256:${sha256(web)}`]: web,
};

// A repository and registry that requires a certificate of its clients.
const server = createServer(
  { cert: certificate, key, ca: client.ca, requestCert: true, rejectUnauthorized: true },
  (request, response) => response.end(responses[request.url ?? '']),
);
server.listen(0, '127.0.0.1');
await once(server, 'listening');
const host = `127.0.0.1:${(server.address() as AddressInfo).port}`; // a TCP server has no other address
test.after.always(() => {
  server.closeAllConnections();
  server.close();
});

const source = createChartSource();
const { signal } = new AbortController();
const tls = { ca, cert: client.certificate, key: client.key };
const charts = {
  'an HTTP repository': { repoUrl: `https://${host}`, chartName: 'web' },
  'a registry': { chartName: `oci://${host}/team/web`, chartVersion: '1.0.0' },
};

for (const [place, chart] of Object.entries(charts)) {
  test(`a chart comes from ${place} with a CA and a client certificate of its own`, async (t) => {
    t.deepEqual(Buffer.from(await source.download({ ...chart, tls }, signal)), Buffer.from(web));
  });

  test(`${place} with an unknown CA is an error`, async (t) => {
    const error = await t.throwsAsync(source.download(chart, signal), { code: 'repository_failed' });
    t.regex(error.message, /certificate/);
  });
}

test('a redirect to another host gets neither the certificate of the client nor trust in its CA', async (t) => {
  const { cert, key: clientKey } = tls;
  const first = createServer({ cert: certificate, key }, (_, response) => {
    response.writeHead(302, { location: `https://${host}/web-1.0.0.tgz` }).end();
  });
  first.listen(0, '127.0.0.1');
  await once(first, 'listening');
  t.teardown(() => first.close());
  const chartName = `https://127.0.0.1:${(first.address() as AddressInfo).port}/web.tgz`; // as above
  const request = { chartName, tls: { ca, cert, key: clientKey } };
  const error = await t.throwsAsync(source.download(request, signal), { code: 'repository_failed' });
  t.regex(error.message, /certificate/);
  t.regex(error.message, new RegExp(`https://${host}|web\\.tgz`));
});
