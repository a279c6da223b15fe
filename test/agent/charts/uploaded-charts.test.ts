import { createHash, randomBytes } from 'node:crypto';
import { Readable } from 'node:stream';
import { setImmediate as nextTurn } from 'node:timers/promises';
import test, { type ExecutionContext } from 'ava';
import { UploadedCharts } from '../../../src/agent/charts/uploaded-charts.ts';
import { TunnelSource } from '../../../src/agent/connection/tunnel-source.ts';
import { serveChart } from '../../../src/control-plane/charts/serve-chart.ts';
import type { RateClock } from '../../../src/protocol/streams/least-rate.ts';
import { type AcceptStream, Tunnel, type TunnelSocket } from '../../../src/protocol/streams/tunnel.ts';
import type { TunnelStream } from '../../../src/protocol/streams/tunnel-stream.ts';
import { KeptFiles } from '../../../src/source/disk/kept-files.ts';
import { eventually } from '../../support/eventually.ts';
import { FakeClock } from '../../support/fake-clock.ts';

const signal = new AbortController().signal;

const chart = () => {
  const bytes = randomBytes(1000);
  return { bytes, digest: `sha256:${createHash('sha256').update(bytes).digest('hex')}` };
};

/** Returns the tunnel of an agent whose control plane handles streams with `accept`. */
function tunnelTo(accept: AcceptStream): Tunnel {
  const receivers: Record<string, Tunnel> = {};
  const socketTo = (name: string): TunnelSocket => ({
    ...{ readyState: 1, OPEN: 1 },
    send(frame, done) {
      const bytes = Buffer.from(frame); // as its memory is used again
      setImmediate(() => {
        receivers[name]?.receive(bytes);
        done();
      });
    },
  });
  const agent = new Tunnel(socketTo('plane'), { end: 'agent' });
  receivers['agent'] = agent;
  receivers['plane'] = new Tunnel(socketTo('agent'), { end: 'control-plane', accept });
  return agent;
}

function charts(t: ExecutionContext, accept: AcceptStream, files = new KeptFiles(), clock?: RateClock) {
  const tunnels = new TunnelSource();
  tunnels.connect(tunnelTo(accept), ['chart']);
  const uploads = new UploadedCharts({ tunnels, files, ...(clock && { clock }) });
  t.teardown(() => files.clear());
  return { uploads, tunnels };
}

const failed = (code: string) => Object.assign(new Error('no'), { code });

test('an archive is received once for commands that need it at the same time, and kept', async (t) => {
  const { bytes, digest } = chart();
  const headers: unknown[] = [];
  const { uploads } = charts(t, (header, stream) => {
    headers.push(header);
    stream.end(bytes);
  });
  const [first, second] = await Promise.all([uploads.load(digest, signal), uploads.load(digest, signal)]);
  t.true(bytes.equals(first));
  t.true(bytes.equals(second));
  t.true(bytes.equals(await uploads.load(digest, signal)));
  t.deepEqual(headers, [{ kind: 'chart', digest, offset: 0 }]);
});

test('the archives that were used last are kept on disk', async (t) => {
  const all = [chart(), chart(), chart()];
  const asked: number[] = [];
  const accept: AcceptStream = (header, stream) => {
    const index = all.findIndex(({ digest }) => digest === (header as { digest: string }).digest);
    asked.push(index);
    stream.end(all[index]?.bytes);
  };
  const { uploads } = charts(t, accept, new KeptFiles({ maxBytes: 2500 }));
  for (const index of [0, 1, 0, 2, 0, 1]) {
    const { bytes, digest } = all[index] ?? chart();
    t.true(bytes.equals(await uploads.load(digest, signal)));
  }
  t.deepEqual(asked, [0, 1, 2, 1]);
});

test('a transfer ends when all of its commands are cancelled, and only then', async (t) => {
  const { bytes, digest } = chart();
  const streams: TunnelStream[] = [];
  const { uploads } = charts(t, (_header, stream) => {
    streams.push(stream);
    stream.write(bytes.subarray(0, 100));
  });
  const commands = [new AbortController(), new AbortController()];
  const loads = commands.map((command) => t.throwsAsync(uploads.load(digest, command.signal), { code: 'cancelled' }));
  await eventually('the transfer starts', () => streams.length > 0);
  commands[0]?.abort(failed('cancelled'));
  await loads[0];
  for (let turn = 0; turn < 10; turn++) await nextTurn();
  t.false(streams[0]?.destroyed);
  commands[1]?.abort(failed('cancelled'));
  await loads[1];
  await eventually('the transfer has ended', () => streams[0]?.destroyed === true);
  const again = uploads.load(digest, signal);
  await eventually('the transfer starts again', () => streams.length > 1);
  streams[1]?.end(bytes.subarray(100));
  t.true(bytes.equals(await again), 'from the beginning');
});

test('at most two archives are received at a time', async (t) => {
  const all = [chart(), chart(), chart()];
  const streams: (() => void)[] = [];
  const { uploads } = charts(t, (header, stream) => {
    // they arrive in any order
    const { bytes } = all.find(({ digest }) => digest === (header as { digest: string }).digest) ?? chart();
    streams.push(() => stream.end(bytes));
  });
  const loads = all.map(({ digest }) => uploads.load(digest, signal));
  await eventually('two transfers start', () => streams.length >= 2);
  for (let turn = 0; turn < 10; turn++) await nextTurn();
  t.is(streams.length, 2);
  streams[0]?.();
  await Promise.race(loads);
  await eventually('the third transfer starts', () => streams.length >= 3);
  for (const index of [1, 2]) streams[index]?.();
  await t.notThrowsAsync(Promise.all(loads));
});

const refuses = test.macro(async (t, accept: AcceptStream | undefined, code: string) => {
  const { uploads, tunnels } = charts(t, accept ?? (() => undefined));
  if (!accept) tunnels.connect(false);
  await t.throwsAsync(uploads.load(chart().digest, signal), { code });
});

test('another archive is an error', refuses, (_header, stream) => stream.end('other'), 'digest_mismatch');
test(
  'a chart that the control plane does not have is an error',
  refuses,
  (_header, stream) => void stream.destroy(failed('chart_not_found')),
  'chart_not_found',
);
test(
  'a control plane that cannot read the chart is an error',
  refuses,
  (_header, stream) => void stream.destroy(failed('store_unavailable')),
  'repository_failed',
);
test('a control plane without streams is an error', refuses, undefined, 'unsupported');

test('a control plane that dribbles a chart is given up, and its stream is reset', async (t) => {
  const clock = new FakeClock();
  const { digest } = chart();
  const ends: unknown[] = [];
  const { uploads } = charts(
    t,
    (_header, stream) => {
      stream.on('error', (error) => ends.push(error));
      const dribble = setInterval(() => {
        clock.advance(500);
        if (!stream.destroyed) stream.write('a');
      }, 1);
      stream.on('close', () => clearInterval(dribble));
    },
    new KeptFiles(),
    clock,
  );
  await t.throwsAsync(uploads.load(digest, signal), { code: 'repository_timeout' });
  while (ends.length === 0) await nextTurn();
  t.true(clock.now() >= 30_000);
});

test('a control plane resets the stream of an agent that does not read a chart', async (t) => {
  const clock = new FakeClock();
  const { digest } = chart();
  const archive = Readable.from(
    Array.from({ length: 64 }, () => Buffer.alloc(64 * 1024)),
    { objectMode: false },
  );
  const tunnel = tunnelTo((header, stream) => {
    serveChart(header, stream, { charts: { read: () => archive }, isNeeded: () => true, clock });
  });
  const stream = tunnel.open({ ...{ digest, offset: 0 }, kind: 'chart' });
  const failure = Promise.withResolvers<unknown>();
  const time = setInterval(() => clock.advance(1000), 1);
  stream.on('error', failure.resolve);
  t.like(await failure.promise.finally(() => clearInterval(time)), { kind: 'reset', code: 'timeout' });
  t.true(archive.destroyed);
});
