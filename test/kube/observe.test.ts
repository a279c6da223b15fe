import type { ServerResponse } from 'node:http';
import test from 'ava';
import { KubeError } from '../../src/kube/kube-error.ts';
import type { ObservedChange } from '../../src/objects/cluster.ts';
import { configMap, failure, type FakeServer, fakeServer, fastTimes, json } from './fake-server.ts';

const query = { apiVersion: 'v1', kind: 'ConfigMap', namespace: 'team' };

function list(response: ServerResponse, resourceVersion: string, ...names: string[]): void {
  json(response, 200, { metadata: { resourceVersion }, items: names.map((name) => configMap(name, resourceVersion)) });
}

function send(response: ServerResponse, type: string, object: unknown): void {
  response.write(`${JSON.stringify({ type, object })}\n`);
}

/** Refuses a watch that starts with the present objects, as an older API server does. */
function refuseInitialEvents(response: ServerResponse): void {
  const reason = 'sendInitialEvents: Forbidden: unless the WatchList feature gate is enabled';
  json(response, 422, failure(422, 'Invalid', reason));
}

function sendInitial(response: ServerResponse, resourceVersion: string, ...names: string[]): void {
  for (const name of names) send(response, 'ADDED', configMap(name, resourceVersion));
  const annotations = { 'k8s.io/initial-events-end': 'true' };
  send(response, 'BOOKMARK', { kind: 'ConfigMap', metadata: { resourceVersion, annotations } });
}

/**
 * Responds to lists and watches in turn, and to watches that start with the present objects by
 * `initial`. After the last response, watches stay open.
 */
function scripted(
  lists: ((response: ServerResponse) => void)[],
  watches: ((response: ServerResponse) => void)[],
  initial = refuseInitialEvents,
) {
  const next = { list: 0, watch: 0 };
  return (request: { url?: string | undefined }, response: ServerResponse): void => {
    const search = new URL(request.url ?? '', 'http://x').searchParams;
    if (search.has('sendInitialEvents')) initial(response);
    else if (search.has('watch')) (watches[next.watch++] ?? ((open) => open.flushHeaders()))(response);
    else (lists[Math.min(next.list++, lists.length - 1)] ?? ((any) => list(any, '1')))(response);
  };
}

/** Returns the first `count` changes. */
async function take({ cluster }: FakeServer, count: number): Promise<string[]> {
  const stop = new AbortController();
  const seen: string[] = [];
  for await (const change of cluster.observe(query, stop.signal)) {
    seen.push(describe(change));
    if (seen.length === count) stop.abort();
  }
  return seen;
}

function describe(change: ObservedChange): string {
  const objects = change.type === 'snapshot' ? change.objects : [change.object];
  return [change.type, ...objects.map(({ metadata }) => metadata.name)].join(' ');
}

function versions(requests: string[]): (string | null)[] {
  return requests
    .map((request) => new URL(request.split(' ')[1] ?? '', 'http://x').searchParams)
    .filter((search) => search.has('watch') && !search.has('sendInitialEvents'))
    .map((search) => search.get('resourceVersion'));
}

/** Returns how each request asks for objects. */
function manners(requests: string[]): string[] {
  return requests.map((request) => {
    const search = new URL(request.split(' ')[1] ?? '', 'http://x').searchParams;
    if (search.has('sendInitialEvents')) return 'initial events';
    return search.has('watch') ? `watch from ${search.get('resourceVersion') ?? ''}` : 'list';
  });
}

test('starts with the present objects of a watch, and what has changed meanwhile', async (t) => {
  const server = await fakeServer(
    t,
    scripted([], [], (response) => {
      for (const name of ['a', 'b', 'c']) send(response, 'ADDED', configMap(name, '10'));
      send(response, 'BOOKMARK', { kind: 'ConfigMap', metadata: { resourceVersion: '10' } });
      send(response, 'DELETED', configMap('a', '11'));
      sendInitial(response, '12', 'd');
      send(response, 'MODIFIED', configMap('b', '13'));
      send(response, 'DELETED', configMap('c', '14'));
    }),
  );
  t.deepEqual(await take(server, 4), ['snapshot a b c d', 'deleted a', 'changed b', 'deleted c']);
  t.deepEqual(manners(server.requests), ['initial events']);
  const search = new URL(server.requests[0]?.split(' ')[1] ?? '', 'http://x').searchParams;
  t.is(search.get('resourceVersionMatch'), 'NotOlderThan');
  t.is(search.get('resourceVersion'), null);
});

test('continues a watch that started with the present objects', async (t) => {
  const server = await fakeServer(
    t,
    scripted([], [(response) => send(response, 'MODIFIED', configMap('a', '11'))], (response) => {
      sendInitial(response, '10', 'a');
      response.end();
    }),
  );
  t.deepEqual(await take(server, 2), ['snapshot a', 'changed a']);
  t.deepEqual(manners(server.requests), ['initial events', 'watch from 10']);
});

test('lists if the server cannot start with the present objects, and does not ask it again', async (t) => {
  const server = await fakeServer(t, scripted([(response) => list(response, '10', 'a')], []));
  t.deepEqual(await take(server, 1), ['snapshot a']);
  t.deepEqual(await take(server, 1), ['snapshot a']);
  t.deepEqual(
    manners(server.requests).filter((manner) => !manner.startsWith('watch')),
    ['initial events', 'list', 'list'],
  );
});

const incomplete: [title: string, end: (response: ServerResponse) => void][] = [
  ['breaks', (response) => setTimeout(() => response.destroy(), 20)],
  ['ends', (response) => response.end()],
  ['is silent', () => undefined],
];
for (const [title, end] of incomplete) {
  test(`lists after a watch that ${title} before it has sent the present objects`, async (t) => {
    const observeTimes = { ...fastTimes.observeTimes, initialSilence: 50 };
    const respond = scripted([(response) => list(response, '10', 'a')], [], (response) => {
      send(response, 'ADDED', configMap('a', '9'));
      end(response);
    });
    const server = await fakeServer(t, respond, { ...fastTimes, observeTimes });
    t.deepEqual(await take(server, 1), ['snapshot a']);
    t.deepEqual(manners(server.requests).slice(0, 2), ['initial events', 'list']);
  });
}

test('continues a broken watch from the last version seen, including bookmarks', async (t) => {
  const server = await fakeServer(
    t,
    scripted(
      [(response) => list(response, '10', 'a')],
      [
        (response) => {
          send(response, 'MODIFIED', configMap('a', '11'));
          setTimeout(() => response.destroy(), 20);
        },
        (response) => {
          send(response, 'BOOKMARK', { kind: 'ConfigMap', metadata: { resourceVersion: '15' } });
          response.end();
        },
        (response) => send(response, 'DELETED', configMap('a', '16')),
      ],
    ),
  );
  t.deepEqual(await take(server, 3), ['snapshot a', 'changed a', 'deleted a']);
  t.deepEqual(versions(server.requests), ['10', '11', '15']);
});

const expired = failure(410, 'Expired', 'too old resource version: 10 (99)');
const tooOld: [title: string, watch: (response: ServerResponse) => void][] = [
  ['an ERROR event', (response) => (send(response, 'ERROR', expired), response.end())],
  ['a 410 response', (response) => json(response, 410, expired)],
];
for (const [title, watch] of tooOld) {
  test(`takes another snapshot after ${title} for a version that is too old`, async (t) => {
    const lists = [
      (response: ServerResponse) => list(response, '10', 'a'),
      (response: ServerResponse) => list(response, '100', 'b'),
    ];
    const server = await fakeServer(
      t,
      scripted(lists, [watch, (response) => send(response, 'ADDED', configMap('c', '101'))]),
    );
    t.deepEqual(await take(server, 3), ['snapshot a', 'snapshot b', 'changed c']);
    t.deepEqual(versions(server.requests), ['10', '100']);
  });
}

const hasty: [title: string, changes: number, watch: (response: ServerResponse) => void][] = [
  ['end after an event', 7, (response) => (send(response, 'MODIFIED', configMap('a', '11')), response.end())],
  ['fail after a list', 6, (response) => json(response, 410, expired)],
];
for (const [title, changes, watch] of hasty) {
  test(`waits longer and longer between watches that ${title}`, async (t) => {
    const observeTimes = { ...fastTimes.observeTimes, firstPause: 20, longestPause: 10_000 };
    const respond = scripted(
      [(response) => list(response, '10', 'a')],
      Array.from({ length: 6 }, () => watch),
    );
    const server = await fakeServer(t, respond, { ...fastTimes, observeTimes });
    const start = performance.now();
    await take(server, changes);
    t.true(performance.now() - start >= 20 + 40 + 80 + 160 + 320 - 5, 'timers may be a little early');
  });
}

test('continues a watch at once that has not ended too soon', async (t) => {
  const observeTimes = { ...fastTimes.observeTimes, firstPause: 60_000, longestPause: 60_000, steady: 20 };
  const ends = (response: ServerResponse): void => {
    response.flushHeaders();
    setTimeout(() => response.end(), 50);
  };
  const respond = scripted(
    [(response) => list(response, '10')],
    [ends, (response) => send(response, 'ADDED', configMap('a', '11'))],
  );
  const server = await fakeServer(t, respond, { ...fastTimes, observeTimes });
  t.deepEqual(await take(server, 2), ['snapshot', 'changed a']);
});

test('starts a silent watch again', async (t) => {
  const observeTimes = { ...fastTimes.observeTimes, silence: 50 };
  const respond = scripted(
    [(response) => list(response, '10')],
    [(response) => response.flushHeaders(), (response) => send(response, 'ADDED', configMap('a', '11'))],
  );
  const server = await fakeServer(t, respond, { ...fastTimes, observeTimes });
  t.deepEqual(await take(server, 2), ['snapshot', 'changed a']);
  t.deepEqual(versions(server.requests), ['10', '10']);
});

test('does not count the time of a slow consumer as silence', async (t) => {
  const observeTimes = { ...fastTimes.observeTimes, silence: 60 };
  const respond = scripted(
    [(response) => list(response, '10')],
    [
      (response) => {
        for (const version of ['11', '12', '13']) send(response, 'MODIFIED', configMap('a', version));
      },
    ],
  );
  const server = await fakeServer(t, respond, { ...fastTimes, observeTimes });
  const stop = new AbortController();
  let seen = 0;
  for await (const change of server.cluster.observe(query, stop.signal)) {
    if (change.type === 'changed') await new Promise((resolve) => setTimeout(resolve, 100));
    if (++seen === 4) stop.abort();
  }
  t.deepEqual(versions(server.requests), ['10']);
});

test('retries until the server recovers', async (t) => {
  const fails = (response: ServerResponse): void => json(response, 500, failure(500, 'InternalError', 'etcd is down'));
  const server = await fakeServer(t, scripted([fails, fails, (response) => list(response, '10', 'a')], []));
  t.deepEqual(await take(server, 1), ['snapshot a']);
});

const refused: [status: number, code: string, attempts: number][] = [
  [403, 'forbidden', 1],
  [400, 'bad_request', 2],
  [401, 'unauthorized', 3],
];
for (const [status, code, attempts] of refused) {
  test(`fails after ${attempts} attempt(s) if the server refuses with ${status}`, async (t) => {
    const server = await fakeServer(t, (_, response) => json(response, status, failure(status, '', 'no')));
    await t.throwsAsync(take(server, 1), { code });
    t.is(server.requests.length, attempts);
  });
}

test('fails for an unknown kind', async (t) => {
  const { cluster } = await fakeServer(t, scripted([], []));
  const changes = cluster.observe({ ...query, kind: 'Nothing' }, new AbortController().signal);
  await t.throwsAsync(
    async () => {
      for await (const change of changes) t.fail(change.type);
    },
    { code: 'unknown_kind' },
  );
});

test('ends without an error when the signal aborts, and closes the watch', async (t) => {
  const stop = new AbortController();
  const closed = Promise.withResolvers<boolean>();
  const watch = (response: ServerResponse): void => {
    response.on('close', () => closed.resolve(true));
    response.flushHeaders();
    setTimeout(() => stop.abort(), 20);
  };
  const { cluster } = await fakeServer(t, scripted([(response) => list(response, '10')], [watch]));
  const seen: string[] = [];
  for await (const change of cluster.observe(query, stop.signal)) seen.push(change.type);
  t.deepEqual(seen, ['snapshot']);
  t.true(await closed.promise);
});

test('lists page by page, and again from the start if a page is too old', async (t) => {
  let pages = 0;
  const server = await fakeServer(t, (request, response) => {
    pages += 1;
    if (pages === 3) list(response, '20', 'a', 'b', 'c');
    else if (new URL(request.url ?? '', 'http://x').searchParams.has('continue')) json(response, 410, expired);
    else
      json(response, 200, { metadata: { resourceVersion: '10', continue: 'second' }, items: [configMap('a', '10')] });
  });
  const found = await server.cluster.list(query);
  t.deepEqual(
    found.map(({ metadata }) => metadata.name),
    ['a', 'b', 'c'],
  );
  t.is(server.requests.length, 3);
});

test('reads fewer objects at a time when a page is too long', async (t) => {
  const limits: number[] = [];
  const server = await fakeServer(t, (request, response) => {
    const search = new URL(request.url ?? '', 'http://x').searchParams;
    const limit = Number(search.get('limit'));
    const start = Number(search.get('continue') ?? 0);
    const end = Math.min(start + limit, 60);
    limits.push(limit);
    const items = Array.from({ length: end - start }, (_, index) => ({
      metadata: { name: `a${start + index}` },
      data: { text: 'x'.repeat(300_000) },
    }));
    json(response, 200, { metadata: { resourceVersion: '1', ...(end < 60 && { continue: String(end) }) }, items });
  });
  const found = await server.cluster.list(query);
  t.is(new Set(found.map(({ metadata }) => metadata.name)).size, 60);
  t.deepEqual(limits.slice(0, 3), [500, 50, 5]);
  t.is(limits.length, 2 + 12);
});

test('lists no more objects than are wanted', async (t) => {
  const server = await fakeServer(t, (request, response) => {
    const limit = Number(new URL(request.url ?? '', 'http://x').searchParams.get('limit'));
    const items = Array.from({ length: limit }, (_, index) => ({ metadata: { name: `a${index}` } }));
    json(response, 200, { metadata: { resourceVersion: '1', continue: 'next' }, items });
  });
  t.is((await server.cluster.list({ ...query, most: 80 })).length, 80);
  t.is(server.requests.length, 1);
});

test('reads an object that is longer than a page', async (t) => {
  const server = await fakeServer(t, (_, response) =>
    json(response, 200, { metadata: { resourceVersion: '1' }, items: [{ metadata: { name: 'x'.repeat(5_000_000) } }] }),
  );
  t.is((await server.cluster.list(query)).length, 1);
});

for (const document of [null, { items: [] }, { metadata: {}, items: [null] }, { metadata: {}, items: 'none' }]) {
  test(`${JSON.stringify(document)} in place of a list is a server error`, async (t) => {
    const { cluster } = await fakeServer(t, (_, response) => json(response, 200, document));
    const message = 'the response to GET /api/v1/namespaces/team/configmaps is not a list';
    await t.throwsAsync(cluster.list(query), { instanceOf: KubeError, code: 'server_error', message });
  });
}

for (const object of [null, {}]) {
  test(`continues after a watch with the object ${JSON.stringify(object)}`, async (t) => {
    const strange = (response: ServerResponse): void => send(response, 'ADDED', object);
    const respond = scripted(
      [(response) => list(response, '10')],
      [strange, (response) => send(response, 'ADDED', configMap('a', '11'))],
    );
    const server = await fakeServer(t, respond);
    t.deepEqual(await take(server, 2), ['snapshot', 'changed a']);
    t.deepEqual(versions(server.requests), ['10', '10']);
  });
}
