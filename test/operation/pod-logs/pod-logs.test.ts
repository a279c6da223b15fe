import { duplexPair } from 'node:stream';
import test from 'ava';
import { podLogs } from '../../../src/operation/pod-logs/pod-logs.ts';
import { readLogRecords } from '../../../src/protocol/streams/log-records.ts';
import { realHost } from '../../support/host.ts';

const state = { running: { startedAt: '2026-01-01T10:00:00Z' } };
const pod = {
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'web-0', namespace: 'shop', uid: 'u', resourceVersion: '1' },
  spec: { containers: [{ name: 'app' }] },
  status: { phase: 'Running', containerStatuses: [{ name: 'app', restartCount: 0, state }] },
};

const refused = test.macro({
  title: (_title, { tail }: { tail?: number }) => `logs that may not be read end the command (tail: ${String(tail)})`,
  async exec(t, selected: { tail?: number }) {
    let requests = 0;
    const objects = { isListed: true, all: () => [pod], find: () => pod };
    const cluster = {
      servedKinds: () =>
        Promise.resolve([{ apiVersion: 'v1', kind: 'Pod', resource: 'pods', namespaced: true, aliases: ['po'] }]),
      serverTime: () => undefined,
      get: () => Promise.resolve(pod),
      list: () => Promise.resolve([pod]),
      async *streamLog() {
        requests += 1;
        await new Promise((resolve) => setImmediate(resolve));
        throw Object.assign(new Error('no pods/log'), { code: 'forbidden' });
      },
    };
    const [mine, theirs] = duplexPair();
    const context = {
      ...{ cluster, host: realHost, signal: AbortSignal.timeout(20_000), openStream: () => Promise.resolve(mine) },
      tracker: { track: () => ({ objects, release: () => Promise.resolve() }) },
    };
    const performed = podLogs(context as never, { namespace: 'shop', name: 'web-0', follow: true, ...selected }); // it uses nothing else
    const notices: unknown[] = [];
    const read = async () => {
      for await (const { notice } of readLogRecords(theirs)) if (notice !== undefined) notices.push(notice);
      theirs.end();
    };
    await Promise.all([t.throwsAsync(performed, { code: 'forbidden' }), read()]);
    t.deepEqual(notices, ['web-0: no pods/log']);
    t.is(requests, 1);
  },
});

test(refused, {});
test(refused, { tail: 10 });
