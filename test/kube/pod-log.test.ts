import type { ServerResponse } from 'node:http';
import test from 'ava';
import type { LogLine } from '../../src/objects/cluster.ts';
import { failure, fakeServer, json } from './fake-server.ts';

const pod = { namespace: 'team', name: 'web', container: 'app' };
const { signal } = new AbortController();
const time = (second: number, nanos = 0) => `2026-01-01T10:00:0${second}.${String(nanos).padStart(9, '0')}Z`;

async function all(lines: AsyncIterable<LogLine>): Promise<string[]> {
  const texts: string[] = [];
  for await (const line of lines) texts.push(`${line.time.slice(17)} ${line.text}`);
  return texts;
}

test('follows a log line by line, wherever its chunks end', async (t) => {
  const { cluster, requests } = await fakeServer(t, (_, response) => {
    const text = Buffer.from(`${time(1)} caf\u00e9\n${time(2)} \n${time(3)} last`);
    const middle = text.indexOf(0xc3) + 1;
    response.write(text.subarray(0, middle), () => setImmediate(() => response.end(text.subarray(middle))));
  });
  t.deepEqual(await all(cluster.followLog(pod, { signal })), [
    '01.000000000Z café',
    '02.000000000Z ',
    '03.000000000Z last',
  ]);
  t.deepEqual(requests, ['GET /api/v1/namespaces/team/pods/web/log?container=app&follow=true&timestamps=true']);
});

test('continues a log after the time of a line', async (t) => {
  const { cluster, requests } = await fakeServer(t, (_, response) => {
    response.end(`${time(1, 5)} one\n${time(1, 7)} two\nunable to retrieve container logs\n`);
  });
  const options = { after: time(1, 5), previous: true, signal };
  t.deepEqual(await all(cluster.followLog(pod, options)), ['01.000000007Z two']);
  t.regex(requests[0] ?? '', /sinceTime=2026-01-01T10%3A00%3A01Z&previous=true$/);
});

test('keeps the beginning of a very long line', async (t) => {
  const { cluster } = await fakeServer(t, (_, response) => {
    response.end(`${time(1)} ${'x'.repeat(300_000)}\n${time(2)} next\n`);
  });
  const lines = await all(cluster.followLog(pod, { signal }));
  t.deepEqual(
    lines.map(({ length }) => length < 70_000),
    [true, true],
  );
  t.is(lines[1], '02.000000000Z next');
});

test('a container without a log has no lines', async (t) => {
  for (const [status, reason] of [
    [400, 'BadRequest'],
    [404, 'NotFound'],
  ] as const) {
    const refusal = failure(status, reason, 'is waiting to start');
    const { cluster } = await fakeServer(t, (_, response) => json(response, status, refusal));
    t.deepEqual(await all(cluster.followLog(pod, { signal })), []);
  }
});

const failing: [title: string, respond: (response: ServerResponse) => void, code: string][] = [
  ['is refused', (response) => json(response, 403, failure(403, 'Forbidden', 'pods/log is forbidden')), 'forbidden'],
  [
    'breaks off',
    (response) => response.write(`${time(1)} one\n`, () => setTimeout(() => response.destroy(), 20)),
    'unreachable',
  ],
];
for (const [title, respond, code] of failing) {
  test(`fails with ${code} if a log ${title}`, async (t) => {
    const { cluster } = await fakeServer(t, (_, response) => respond(response));
    await t.throwsAsync(all(cluster.followLog(pod, { signal })), { code });
  });
}

test('a signal ends the request', async (t) => {
  const closed = Promise.withResolvers<undefined>();
  const stop = new AbortController();
  const { cluster } = await fakeServer(t, (_, response) => {
    response.once('close', () => closed.resolve(undefined));
    response.write(`${time(1)} one\n`);
  });
  await t.throwsAsync(
    async () => {
      for await (const line of cluster.followLog(pod, { signal: stop.signal })) if (line.text === 'one') stop.abort();
    },
    { name: 'AbortError' },
  );
  await t.notThrowsAsync(closed.promise);
});
