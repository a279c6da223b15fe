import { duplexPair } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import test from 'ava';
import { operation } from '../../../src/operation/exec/port-forward.ts';
import { channels, encodeMessage } from '../../../src/protocol/streams/messages.ts';
import { eventually } from '../../support/eventually.ts';

const pod = {
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'web-0', namespace: 'shop', uid: 'u' },
  spec: { containers: [{ name: 'app' }] },
};

const message = (channel: 1 | 3, text: string) => encodeMessage({ channel, bytes: Buffer.from(text) });

/** Forwards a connection to a pod whose server keeps it until it is closed. */
function world() {
  const [mine, theirs] = duplexPair();
  mine.on('error', () => undefined); // as a stream of a tunnel
  let send = Promise.withResolvers<string | undefined>();
  const written: string[] = [];
  const connection = {
    async *output() {
      for (let text = await send.promise; text !== undefined; text = await send.promise) {
        send = Promise.withResolvers();
        yield [Buffer.from(text)];
      }
      throw new Error('the connection was terminated');
    },
    write: (bytes: Uint8Array) => Promise.resolve(void written.push(Buffer.from(bytes).toString())),
    close: () => send.resolve(undefined),
  };
  const timers: Array<{ milliseconds: number; onEnd: () => void; isOn: boolean }> = [];
  const context = {
    cluster: {
      servedKinds: () =>
        Promise.resolve([{ apiVersion: 'v1', kind: 'Pod', resource: 'pods', namespaced: true, aliases: ['po'] }]),
      get: () => Promise.resolve(pod),
      forwardPort: () => Promise.resolve(connection),
    },
    signal: new AbortController().signal,
    openStream: () => Promise.resolve(mine),
    startTimer(milliseconds: number, onEnd: () => void) {
      const timer = { milliseconds, onEnd, isOn: true };
      timers.push(timer);
      return () => (timer.isOn = false);
    },
  };
  const payload = { namespace: 'shop', name: 'web-0', port: 80 };
  const performed = operation.perform(payload, context as never); // it uses nothing else
  /** The timers of 30 s that were started. */
  const silences = () => timers.filter(({ milliseconds }) => milliseconds === 30_000);
  return { performed, mine, theirs, written, timers, silences, serve: (text: string) => send.resolve(text) };
}

test('a connection whose caller has ended its input is closed after 30 s without output', async (t) => {
  const { performed, theirs, timers, silences, serve } = world();
  const received = buffer(theirs);
  theirs.write(message(channels.control, '{"type":"end"}'));
  await eventually('the silence has a limit', () => silences().length === 1);
  serve('the response');
  await eventually('output gives it time again', () => silences().length === 2);
  t.deepEqual(
    silences().map(({ isOn }) => isOn),
    [false, true],
  );
  silences()[1]?.onEnd();
  t.deepEqual(await performed, { pod: 'web-0' });
  const empty = message(channels.output, '');
  t.deepEqual(await received, Buffer.concat([empty, message(channels.output, 'the response')]));
  t.false(timers.some(({ isOn }) => isOn));
});

test('a connection without output stays while its caller has not ended its input', async (t) => {
  const { performed, mine, theirs, written, silences, serve } = world();
  theirs.resume();
  theirs.write(encodeMessage({ channel: channels.input, bytes: Buffer.from('GET /') }));
  serve('the response');
  await eventually('the input has arrived', () => written.length === 1);
  t.deepEqual(silences(), []);
  mine.destroy();
  await t.throwsAsync(performed);
});

test('a caller may take its time to read what was sent before it ended its input', async (t) => {
  const { performed, theirs, silences, serve } = world();
  await eventually('the stream is open', () => theirs.readableLength > 0);
  serve('x'.repeat(1024 * 1024));
  await eventually('the output waits', () => theirs.readableLength > 1000);
  theirs.write(message(channels.control, '{"type":"end"}'));
  for (let turn = 0; turn < 10; turn++) await new Promise((resolve) => setImmediate(resolve));
  t.deepEqual(silences(), []);
  theirs.resume();
  await eventually('the silence has a limit', () => silences().length === 1);
  silences()[0]?.onEnd();
  t.deepEqual(await performed, { pod: 'web-0' });
});
