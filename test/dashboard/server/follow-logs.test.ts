import test from 'ava';
import type { Api } from '../../../src/dashboard/server/api.ts';
import { followLogs } from '../../../src/dashboard/server/follow-logs.ts';
import { encodeLogRecord } from '../../../src/protocol/streams/log-records.ts';

const cursorOf = (pod: string, run = 0, lines = 1) => ({ pod, container: 'app', uid: pod, run, time: '', lines });
const record = (pod: string, run: number, text: string) =>
  encodeLogRecord({ cursor: cursorOf(pod, run) }, Buffer.from(text));

interface Attempt {
  records: readonly Uint8Array[];
  result: object;
}

const isOver = { ok: true, containers: 1 };
const lost = (code: string) => ({ ok: false, error: { code, message: 'lost' } });

/** Follows the logs of commands that are answered in turn. Returns the lines as `POD: LINE`. */
async function follow(attempts: readonly Attempt[]) {
  const sent: unknown[] = [];
  const attempt = () => attempts[sent.length - 1];
  const api: Pick<Api, 'send' | 'bytes' | 'events'> = {
    send<Body>(_method: string, _path: string, body?: object) {
      sent.push(body);
      return Promise.resolve({ key: String(sent.length) } as Body); // as the control plane does
    },
    async *events() {
      yield await Promise.resolve({ id: '1', type: 'result', payload: attempt()?.result });
    },
    bytes: () =>
      Promise.resolve(
        (async function* () {
          for (const part of attempt()?.records ?? []) yield await Promise.resolve(part);
        })(),
      ),
  };
  const options = { namespace: 'shop', name: 'web' };
  const parts = followLogs(
    api as Api, // nothing else is used
    { agentId: 'edge-1', options },
    { signal: new AbortController().signal, onConnected: () => undefined, pauses: { firstMs: 1, longestMs: 1 } },
  );
  const lines: string[] = [];
  for await (const { source = '-', lines: added } of parts) lines.push(...added.map((line) => `${source}: ${line}`));
  return { lines, sent };
}

test('the last line of a run is shown, also without a line break', async (t) => {
  const { lines } = await follow([
    {
      records: [record('a', 0, 'one\nfatal'), record('b', 0, 'two'), record('a', 1, 'three\nfo'), record('a', 1, 'ur')],
      result: isOver,
    },
  ]);
  t.deepEqual(lines, ['a/app: one', 'a/app: fatal', 'a/app: three', 'a/app: four', 'b/app: two']);
});

test('the last lines of very many containers do not wait for the end', async (t) => {
  const records = Array.from({ length: 1002 }, (_, index) => record(`pod-${index}`, 0, 'fatal'));
  const { lines } = await follow([{ records: [...records, record('pod-1001', 0, '\n')], result: isOver }]);
  t.deepEqual(lines.slice(0, 3), ['pod-0/app: fatal', 'pod-1/app: fatal', 'pod-1001/app: fatal']);
  t.is(lines.length, 1002);
});

for (const code of ['stream_lost', 'shutting_down', 'agent_restarted']) {
  test(`a log that ends with ${code} continues, in the middle of a line`, async (t) => {
    const { lines, sent } = await follow([
      { records: [record('a', 0, 'one\ntw')], result: lost(code) },
      { records: [encodeLogRecord({ notice: 'late' }), record('a', 0, 'o\n')], result: isOver },
    ]);
    t.deepEqual(lines, ['a/app: one', '-: late', 'a/app: two']);
    t.like(sent[1], { payload: { cursors: [cursorOf('a')] } });
  });
}

test('another failure ends the log', async (t) => {
  await t.throwsAsync(follow([{ records: [record('a', 0, 'one')], result: lost('forbidden') }]), { message: 'lost' });
});
