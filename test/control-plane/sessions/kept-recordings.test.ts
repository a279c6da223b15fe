import { createHash } from 'node:crypto';
import { mkdir, readdir, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { mock } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import test, { type ExecutionContext } from 'ava';
import { defaultControlPlaneLimits } from '../../../src/control-plane/limits.ts';
import { silentLog } from '../../../src/control-plane/logger.ts';
import { headerLine } from '../../../src/control-plane/sessions/asciicast.ts';
import { Recordings } from '../../../src/control-plane/sessions/recordings.ts';
import { temporaryFile } from '../support/file.ts';

mock.timers.enable({ apis: ['setTimeout'] });

const minute = 60_000;
const hour = 60 * minute;

const session = (key: string) => ({ key, agentId: 'edge-1', type: 'exec_pod', user: 'kim', tty: true });

const nameOf = (key: string) => `${createHash('sha256').update(key).digest('hex')}.cast`;

/** Returns a folder with recordings that began at some times, in milliseconds, by their keys. */
async function folderWith(t: ExecutionContext, times: Record<string, number>): Promise<string> {
  const folder = join(dirname(await temporaryFile(t)), 'recordings');
  await mkdir(folder);
  for (const [key, at] of Object.entries(times)) {
    await writeFile(join(folder, nameOf(key)), headerLine(session(key), at));
  }
  return folder;
}

/** Returns the recordings of a control plane that keeps them for an hour, and its clock. */
async function opened(folder: string) {
  const clock = { milliseconds: 0 };
  const warnings: string[] = [];
  const recordings = new Recordings({
    ...{ folder, limits: { ...defaultControlPlaneLimits, recordingMs: hour, reservedBytes: 0 } },
    ...{ now: () => new Date(clock.milliseconds), monotonic: () => clock.milliseconds, audit: () => undefined },
    log: { ...silentLog, warn: (_fields, message) => warnings.push(message) },
  });
  await recordings.open();
  return {
    recordings,
    warnings,
    keys: () => recordings.list().map(({ key }) => key),
    pass: (milliseconds: number) => {
      clock.milliseconds += milliseconds;
      mock.timers.tick(milliseconds);
    },
  };
}

test.serial('recordings that are too old are deleted while no session begins, and none before', async (t) => {
  const folder = await folderWith(t, { old: 0, young: 30 * minute });
  const { recordings, keys, pass } = await opened(folder);
  const recorder = await recordings.start(session('running'));
  pass(hour);
  await nextTurn();
  t.deepEqual(keys(), ['young', 'old', 'running']);
  pass(minute);
  await recordings.close();
  t.deepEqual(keys(), ['young', 'running'], 'that of a session which runs stays');
  t.deepEqual((await readdir(folder)).sort(), [nameOf('young'), nameOf('running')].sort());
  await recorder.close();
});

test.serial(
  'many recordings that are too old are deleted in parts, and none after the control plane is closed',
  async (t) => {
    const times = Object.fromEntries(Array.from({ length: 250 }, (_, index) => [`k${index}`, 0]));
    const folder = await folderWith(t, times);
    const first = await opened(folder);
    first.pass(hour + minute);
    await first.recordings.close();
    t.is((await readdir(folder)).length, 150, 'the part that had begun');
    first.pass(hour);
    await first.recordings.close();
    t.is((await readdir(folder)).length, 150);
    const next = await opened(folder);
    next.pass(hour + minute);
    while (next.keys().length > 0) await nextTurn();
    await next.recordings.close();
    t.deepEqual(await readdir(folder), []);
  },
);

test.serial('a recording that cannot be deleted holds up no other one, and is deleted when it can be', async (t) => {
  const folder = await folderWith(t, { a: 0, b: 0, c: 0 });
  const { recordings, warnings, keys, pass } = await opened(folder);
  const [bad = ''] = (await readdir(folder)).sort();
  await rm(join(folder, bad));
  await mkdir(join(folder, bad));
  for (let hours = 0; hours < 3; hours++) {
    pass(hour + minute);
    do await nextTurn();
    while (keys().length !== 1 || warnings.length === 0);
  }
  t.deepEqual(await readdir(folder), [bad]);
  t.deepEqual(warnings, ['cannot delete old recordings; trying again']);
  await (await recordings.start(session('new'))).close();
  t.is(keys().length, 2, 'other sessions are recorded');
  await rm(join(folder, bad), { recursive: true });
  pass(minute);
  await recordings.close();
  t.deepEqual(keys(), ['new']);
});
