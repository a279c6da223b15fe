import test from 'ava';
import { followEvents, type ServerEvent } from '../../../src/dashboard/server/events.ts';

const times = { silenceMs: 60_000, firstPauseMs: 1, longestPauseMs: 2 };
const options = { times, random: () => 0.5 };

const event = (id: number, type = 'status') => `id: ${id}\nevent: ${type}\ndata: {"n":${id}}\n\n`;

async function collected(events: AsyncIterable<ServerEvent>): Promise<ServerEvent[]> {
  const all: ServerEvent[] = [];
  for await (const one of events) all.push(one);
  return all;
}

const isLast = ({ type }: ServerEvent) => type === 'result';

test('opens a stream that is cut off again after the last event', async (t) => {
  const lastIds: string[] = [];
  const parts = [event(1) + 'id: 2\nevent: sta', event(2), event(3, 'result')];
  const states: boolean[] = [];
  const open = (lastId: string) => {
    lastIds.push(lastId);
    return Promise.resolve(new Response(parts.shift()));
  };
  const signal = new AbortController().signal;
  const events = followEvents(open, {
    ...options,
    signal,
    isLast,
    onConnected: (isConnected) => states.push(isConnected),
  });
  const seen = await collected(events);
  t.deepEqual(
    seen.map(({ id }) => id),
    ['1', '2', '3'],
  );
  t.deepEqual(seen[0]?.payload, { n: 1 });
  t.deepEqual(lastIds, ['', '1', '2']);
  t.deepEqual(states, [true, false, true, false, true]);
});

test('tries again while the control plane is away', async (t) => {
  let attempts = 0;
  const open = () => {
    attempts += 1;
    if (attempts < 4) return Promise.reject(new TypeError('fetch failed'));
    return Promise.resolve(new Response(event(1, 'result')));
  };
  const signal = new AbortController().signal;
  const seen = await collected(followEvents(open, { ...options, signal, isLast }));
  t.is(seen.length, 1);
  t.is(attempts, 4);
});

test('ends with an error that another attempt would get again', async (t) => {
  const gone = Object.assign(new Error('no command has the key k'), { status: 404 });
  const signal = new AbortController().signal;
  const events = followEvents(() => Promise.reject(gone), { ...options, signal });
  t.is(await t.throwsAsync(collected(events)), gone);
});

test('ends a stream that is silent for too long, and opens another one', async (t) => {
  let attempts = 0;
  const open = (_lastId: string, signal: AbortSignal) => {
    attempts += 1;
    if (attempts > 1) return Promise.resolve(new Response(event(1, 'result')));
    const body = new ReadableStream({
      start(controller) {
        signal.addEventListener('abort', () => controller.error(signal.reason));
      },
    });
    return Promise.resolve(new Response(body));
  };
  const { signal } = new AbortController();
  const silent = { ...times, silenceMs: 5 };
  const seen = await collected(followEvents(open, { ...options, times: silent, signal, isLast }));
  t.is(seen.length, 1);
});

test('ends with the reason of its signal, also during a pause', async (t) => {
  const stop = new AbortController();
  const reason = new Error('the page is left');
  const slow = { silenceMs: 60_000, firstPauseMs: 60_000, longestPauseMs: 60_000 };
  const onConnected = (isConnected: boolean) => isConnected || stop.abort(reason);
  const open = () => Promise.resolve(new Response(''));
  const events = followEvents(open, { times: slow, random: () => 1, signal: stop.signal, onConnected });
  t.is(await t.throwsAsync(collected(events)), reason);
});
