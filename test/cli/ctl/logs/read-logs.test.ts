import test from 'ava';
import type { ApiClient, CommandRequest, Event } from '../../../../src/cli/ctl/api-client.ts';
import { ApiError } from '../../../../src/cli/ctl/api-request.ts';
import { readLogs } from '../../../../src/cli/ctl/logs/read-logs.ts';
import { encodeLogRecord } from '../../../../src/protocol/streams/log-records.ts';

const cursorOf = (lines: number) => ({ pod: 'web-0', container: 'app', uid: 'u', run: 0, time: '', lines });
const lost = () => new ApiError('cannot reach the control plane', true);

type Client = Pick<ApiClient, 'send' | 'events' | 'readStream'>;

/** Returns a client whose streams are those of `streams`, one for each command. */
function clientOf(streams: Array<() => AsyncGenerator<Uint8Array>>) {
  const sent: CommandRequest[] = [];
  const client: Client = {
    send(agentId, request) {
      sent.push(request);
      return Promise.resolve({ key: String(sent.length - 1), agentId, type: request.type });
    },
    readStream: (key) => (streams[Number(key)] ?? noBytes)(),
    async *events() {
      yield await Promise.resolve({ id: 1, type: 'result', payload: { ok: true, containers: 1 } } as unknown as Event);
    },
  };
  return { client, sent };
}

async function* noBytes(): AsyncGenerator<Uint8Array> {
  // it has no records
}

function read(client: Client) {
  const lines: string[] = [];
  const said: string[] = [];
  const result = readLogs(client, {
    ...{ agent: 'edge-1', payload: { name: 'web-0' }, signal: new AbortController().signal, retryMs: 1 },
    onRecord(record) {
      lines.push(String(record.cursor?.lines));
      return Promise.resolve();
    },
    say: (line) => said.push(`after ${lines.length}: ${line}`),
  });
  return { result, lines, said };
}

test('logs of a control plane that cannot be reached fail at once', async (t) => {
  const { client } = clientOf([]);
  let count = 0;
  const send = () => {
    count++;
    return Promise.reject(lost());
  };
  await t.throwsAsync(read({ ...client, send }).result, { message: /cannot reach/ });
  t.is(count, 1);
});

test('a lost connection is said once, and another command continues after the last record', async (t) => {
  const { client, sent } = clientOf([
    async function* () {
      yield await Promise.resolve(encodeLogRecord({ cursor: cursorOf(1) }, Buffer.from('one\n')));
      throw lost();
    },
    async function* () {
      yield await Promise.reject<Uint8Array>(lost());
    },
    async function* () {
      yield await Promise.resolve(encodeLogRecord({ cursor: cursorOf(2) }, Buffer.from('two\n')));
    },
  ]);
  const { result, lines, said } = read(client);
  t.like(await result, { ok: true });
  t.deepEqual(lines, ['1', '2']);
  t.deepEqual(said, [
    'after 1: the connection is lost; trying again each 0.001 s, 30 times at most',
    'after 1: connected again',
  ]);
  t.deepEqual(
    sent.map(({ payload }) => payload),
    [{ name: 'web-0' }, { name: 'web-0', cursors: [cursorOf(1)] }, { name: 'web-0', cursors: [cursorOf(1)] }],
  );
});
