import test from 'ava';
import { createServerClock } from '../../src/kube/server-clock.ts';
import { configMap, fakeServer, json } from './fake-server.ts';

const date = (second: number) => `Thu, 01 Jan 2026 10:00:${String(second).padStart(2, '0')} GMT`;
const at = (second: number, millisecond = 0) => Date.UTC(2026, 0, 1, 10, 0, second, millisecond);

type Response = [header: string | undefined, sent: number, received: number];

const rows: [title: string, responses: Response[], found: [earliest: number, latest: number] | undefined][] = [
  ['no response', [], undefined],
  ['a response without a time', [[undefined, 0, 10]], undefined],
  ['a response that took 20 ms', [[date(5), 1000, 1020]], [at(5) - 1020, at(6) - 1000]],
  [
    'responses of two times in one second',
    [
      [date(5), 1000, 1020],
      [date(5), 1600, 1610],
    ],
    [at(5) - 1020, at(6) - 1600],
  ],
  [
    'a response just before and one just after a second',
    [
      [date(5), 1000, 1010],
      [date(6), 1020, 1030],
    ],
    [at(6) - 1030, at(6) - 1000],
  ],
  [
    'a clock that was set back',
    [
      [date(30), 1000, 1010],
      [date(5), 1020, 1030],
    ],
    [at(5) - 1030, at(6) - 1020],
  ],
];

for (const [title, responses, found] of rows) {
  test(`knows the time of a server by ${title}`, (t) => {
    const clock = createServerClock(() => 0);
    for (const response of responses) clock.note(...response);
    t.deepEqual(clock.now(), found && { earliest: found[0], latest: found[1] });
  });
}

test('the time passes with the monotonic clock', (t) => {
  let now = 1000;
  const clock = createServerClock(() => now);
  clock.note(date(5), 1000, 1000);
  now = 61_000;
  t.deepEqual(clock.now(), { earliest: at(65), latest: at(66) });
});

for (const minutes of [-5, 5]) {
  test(`a client knows the time of a server whose clock is ${minutes} minutes ahead`, async (t) => {
    const { cluster } = await fakeServer(t, (_, response) => {
      response.setHeader('date', new Date(Date.now() + minutes * 60_000).toUTCString());
      json(response, 200, configMap('a', '1'));
    });
    await cluster.get({ apiVersion: 'v1', kind: 'ConfigMap', namespace: 'team', name: 'a' });
    const { earliest = 0, latest = 0 } = cluster.serverTime() ?? {};
    const now = Date.now() + minutes * 60_000;
    t.true(earliest <= now + 1 && now - 1 <= latest, `${earliest - now} ${latest - now}`);
  });
}
