import type { ServerResponse } from 'node:http';
import test, { type ExecutionContext } from 'ava';
import { codeOf, messageOf } from '../../src/errors/index.ts';
import type { LogLine } from '../../src/objects/cluster.ts';
import { failure, fakeServer, json, missing } from './fake-server.ts';

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
  const complete = ['01.000000000Z café', '02.000000000Z '];
  t.deepEqual(await all(cluster.followLog(pod, { signal })), complete);
  t.deepEqual(await all(cluster.followLog(pod, { follow: false, signal })), [...complete, '03.000000000Z last']);
  const path = 'GET /api/v1/namespaces/team/pods/web/log?container=app';
  t.deepEqual(requests, [`${path}&follow=true&timestamps=true`, `${path}&timestamps=true`]);
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
  for (const [status, refusal] of [
    [400, failure(400, 'BadRequest', 'is waiting to start')],
    [404, missing('a')],
  ] as const) {
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

/** Returns what is read of a log that the kubelet sends in these parts, and why it ends early. */
async function readParts(t: ExecutionContext, parts: readonly string[]) {
  const { cluster } = await fakeServer(t, (_, response) => {
    const send = ([part, ...rest]: readonly string[]): void => {
      if (part === undefined) response.end();
      else response.write(part, () => setImmediate(send, rest));
    };
    send(parts);
  });
  let read = '';
  try {
    for await (const chunk of cluster.streamLog(pod, { signal })) read += Buffer.from(chunk).toString();
    return { read };
  } catch (error) {
    return { read, error: `${codeOf(error)}: ${messageOf(error)}` };
  }
}

const refusal = 'unable to retrieve container logs for containerd://0a1b';
const failed = `server_error: the log of container app of pod web cannot be read: ${refusal}`;
const long = 'x'.repeat(100_000);
const bodies: [title: string, parts: string[], error?: string][] = [
  ['lines', [`${time(1)} one\n${time(2)} two\n`]],
  ['a last line without a line break', [`${time(1)} one\n${time(2)} t`, 'wo']],
  ['a time in parts', [time(1).slice(0, 3), `${time(1).slice(3)} one\n2026-01-`, '01T10:00:02Z two']],
  ['a time that is cut off', [`${time(1)} one\n2026-01-01T1`]],
  ['the end of a line whose beginning is not shown', [`end of it\n${time(1)} one\n`]],
  ['a long line in parts', [`${time(1)} ${long}`, long, `${long}\n`]],
  ['a long end of a line', [long, long]],
  ['nothing', ['']],
  ['an error only', [refusal], failed],
  ['an error after lines', [`${time(1)} one\n`, refusal], failed],
  ['an error in parts, after lines', [`${time(1)} one\n${refusal.slice(0, 9)}`, refusal.slice(9)], failed],
];
for (const [title, parts, error] of bodies) {
  test(`a log with ${title} is read as it is${error === undefined ? '' : ', without the error, which is thrown'}`, async (t) => {
    const text = parts.join('');
    const read = error === undefined ? text : text.slice(0, text.length - refusal.length);
    t.deepEqual(await readParts(t, parts), { read, ...(error !== undefined && { error }) });
  });
}

test('lines are followed until the kubelet cannot read on', async (t) => {
  const { cluster } = await fakeServer(t, (_, response) => response.end(`${time(1)} one\n${refusal}`));
  const lines: string[] = [];
  await t.throwsAsync(
    async () => {
      for await (const { text } of cluster.followLog(pod, { signal })) lines.push(text);
    },
    { code: 'server_error', message: /cannot be read: unable to retrieve/ },
  );
  t.deepEqual(lines, ['one']);
});

test('small parts of what may be an error take linear time', async (t) => {
  const parts = Array.from({ length: 2000 }, () => 'abcdefghij');
  t.is((await readParts(t, parts)).read.length, 20_000);
});

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
