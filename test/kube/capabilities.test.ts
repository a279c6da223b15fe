import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import test, { type ExecutionContext } from 'ava';
import { connectCluster } from '../../src/kube/cluster.ts';
import { json, kubeconfigOf } from './fake-server.ts';

/** A server whose groups and version a test changes, and which counts what it sends. */
async function changingServer(t: ExecutionContext, recentAge: number) {
  const state = { groups: ['apps'], version: 'v1.35.0', requests: 0, documents: 0 };
  const server = createServer(({ url = '', headers }, response) => {
    state.requests++;
    if (url === '/version') {
      json(response, 200, { gitVersion: state.version, major: '1', minor: '35' });
      return;
    }
    const groups = url === '/api' ? [] : state.groups;
    const etag = JSON.stringify(groups.join());
    if (headers['if-none-match'] === etag) {
      response.writeHead(304).end();
      return;
    }
    state.documents++;
    response.setHeader('etag', etag);
    const items = groups.map((name) => ({ metadata: { name }, versions: [{ version: 'v1' }] }));
    json(response, 200, { kind: 'APIGroupDiscoveryList', items });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const cluster = connectCluster({ text: kubeconfigOf(`http://127.0.0.1:${port}`) }, { recentAge });
  t.teardown(async () => {
    await cluster.close();
    server.closeAllConnections();
    server.close();
  });
  return { cluster, state };
}

test('reads only the documents of discovery that have changed', async (t) => {
  const { cluster, state } = await changingServer(t, 60_000);
  const first = await cluster.capabilities();
  t.deepEqual(first.apiVersions, ['apps/v1']);
  t.is(await cluster.capabilities(), first);
  t.is(state.documents, 2);
  state.groups = ['apps', 'e.io'];
  t.deepEqual((await cluster.capabilities()).apiVersions, ['apps/v1', 'e.io/v1']);
  t.is(state.documents, 3);
});

test('notices that the version of the server has changed', async (t) => {
  const { cluster, state } = await changingServer(t, 60_000);
  await cluster.capabilities();
  state.version = 'v1.36.0';
  t.is((await cluster.capabilities()).version.gitVersion, 'v1.36.0');
});

test('sends no request for recent capabilities, however often they are needed', async (t) => {
  const { cluster, state } = await changingServer(t, 60_000);
  const first = await cluster.recentCapabilities();
  t.is(state.requests, 3);
  state.groups = ['e.io'];
  t.is(await cluster.recentCapabilities(), first);
  t.is(state.requests, 3);
});

test('reads capabilities again when they are not recent any more', async (t) => {
  const { cluster, state } = await changingServer(t, 0);
  await cluster.recentCapabilities();
  state.groups = ['e.io'];
  t.deepEqual((await cluster.recentCapabilities()).apiVersions, ['e.io/v1']);
});
