import test from 'ava';
import type { ServerResponse } from 'node:http';
import type { ObservedChange } from '../../src/kube/types.ts';
import { configMap, failure, fakeServer, fastTimes, json, type FakeServer } from './fake-server.ts';

const query = { apiVersion: 'v1', kind: 'ConfigMap', namespace: 'team' };

function list(response: ServerResponse, resourceVersion: string, ...names: string[]): void {
  json(response, 200, { metadata: { resourceVersion }, items: names.map((name) => configMap(name, resourceVersion)) });
}

function send(response: ServerResponse, type: string, object: unknown): void {
  response.write(`${JSON.stringify({ type, object })}\n`);
}

/** Answers lists and watches each in turn; the last watch stays open. */
function scripted(lists: ((response: ServerResponse) => void)[], watches: ((response: ServerResponse) => void)[]) {
  const next = { list: 0, watch: 0 };
  return (request: { url?: string | undefined }, response: ServerResponse): void => {
    const isWatch = new URL(request.url ?? '', 'http://x').searchParams.has('watch');
    if (isWatch) (watches[next.watch++] ?? ((open) => open.flushHeaders()))(response);
    else (lists[Math.min(next.list++, lists.length - 1)] ?? ((any) => list(any, '1')))(response);
  };
}

/** What is seen until there are `count` changes. */
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
    .filter((search) => search.has('watch'))
    .map((search) => search.get('resourceVersion'));
}

test('a watch that breaks off goes on from the last version that was seen, bookmarks too', async (t) => {
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
  ['an answer of 410', (response) => json(response, 410, expired)],
];
for (const [title, watch] of tooOld) {
  test(`${title} for a version that is too old leads to another snapshot`, async (t) => {
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

test('a watch that falls silent is given up and begun again', async (t) => {
  const observeTimes = { ...fastTimes.observeTimes, silence: 50 };
  const answer = scripted(
    [(response) => list(response, '10')],
    [(response) => response.flushHeaders(), (response) => send(response, 'ADDED', configMap('a', '11'))],
  );
  const server = await fakeServer(t, answer, { ...fastTimes, observeTimes });
  t.deepEqual(await take(server, 2), ['snapshot', 'changed a']);
  t.deepEqual(versions(server.requests), ['10', '10']);
});

test('the time that a slow reader takes is no silence', async (t) => {
  const observeTimes = { ...fastTimes.observeTimes, silence: 60 };
  const answer = scripted(
    [(response) => list(response, '10')],
    [
      (response) => {
        for (const version of ['11', '12', '13']) send(response, 'MODIFIED', configMap('a', version));
      },
    ],
  );
  const server = await fakeServer(t, answer, { ...fastTimes, observeTimes });
  const stop = new AbortController();
  let seen = 0;
  for await (const change of server.cluster.observe(query, stop.signal)) {
    if (change.type === 'changed') await new Promise((resolve) => setTimeout(resolve, 100));
    if (++seen === 4) stop.abort();
  }
  t.deepEqual(versions(server.requests), ['10']);
});

test('a server that fails for a while is asked again until it answers', async (t) => {
  const fails = (response: ServerResponse): void => json(response, 500, failure(500, 'InternalError', 'etcd is away'));
  const server = await fakeServer(t, scripted([fails, fails, (response) => list(response, '10', 'a')], []));
  t.deepEqual(await take(server, 1), ['snapshot a']);
});

const refused: [status: number, code: string, attempts: number][] = [
  [403, 'forbidden', 1],
  [400, 'bad_request', 1],
  [401, 'unauthorized', 3],
];
for (const [status, code, attempts] of refused) {
  test(`an observation that is refused with ${status} fails after ${attempts} attempt(s)`, async (t) => {
    const server = await fakeServer(t, (_, response) => json(response, status, failure(status, '', 'no')));
    await t.throwsAsync(take(server, 1), { code });
    t.is(server.requests.length, attempts);
  });
}

test('an observation of an unknown kind fails', async (t) => {
  const { cluster } = await fakeServer(t, scripted([], []));
  const changes = cluster.observe({ ...query, kind: 'Nothing' }, new AbortController().signal);
  await t.throwsAsync(
    async () => {
      for await (const change of changes) t.fail(change.type);
    },
    { code: 'unknown_kind' },
  );
});

test('an abort ends an observation without an error, and its watch', async (t) => {
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

test('a list is read page by page, and from the start where a page is too old', async (t) => {
  const server = await fakeServer(t, (request, response) => {
    const search = new URL(request.url ?? '', 'http://x').searchParams;
    if (!search.has('limit')) list(response, '20', 'a', 'b', 'c');
    else if (search.get('continue') === 'second') json(response, 410, expired);
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
