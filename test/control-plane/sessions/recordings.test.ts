import { createHash } from 'node:crypto';
import { appendFile, mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { text } from 'node:stream/consumers';
import test, { type ExecutionContext } from 'ava';
import type { AuditFields } from '../../../src/control-plane/audit/audit-entry.ts';
import { defaultControlPlaneLimits } from '../../../src/control-plane/limits.ts';
import { silentLog } from '../../../src/control-plane/logger.ts';
import { Recordings, type RecordingsOptions } from '../../../src/control-plane/sessions/recordings.ts';
import { temporaryFile } from '../support/file.ts';

const session = (key: string) => ({
  ...{ key, agentId: 'edge-1', type: 'exec_pod', user: 'kim', namespace: 'shop', pod: 'web-0', container: 'app' },
  tty: true,
});

interface Settings extends Partial<RecordingsOptions['limits']> {
  folder?: string;
  freeBytes?: number;
}

async function world(t: ExecutionContext, { folder, freeBytes = Infinity, ...limits }: Settings = {}) {
  const place = folder ?? join(dirname(await temporaryFile(t)), 'recordings');
  const audited: AuditFields[] = [];
  const clock = { milliseconds: 1_700_000_000_000 };
  const recordings = new Recordings({
    folder: place,
    limits: { ...defaultControlPlaneLimits, ...limits },
    log: silentLog,
    now: () => new Date(clock.milliseconds),
    monotonic: () => clock.milliseconds,
    audit: (fields) => audited.push(fields),
    freeBytes: () => Promise.resolve(freeBytes),
  });
  await recordings.open();
  const content = async (key: string) => {
    const recording = recordings.find(key);
    if (!recording) throw new Error('there is no recording');
    return await text(recordings.read(recording));
  };
  return { recordings, folder: place, audited, clock, content };
}

const linesOf = (content: string) =>
  content
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as unknown);

const output = (content: string) =>
  (linesOf(content).slice(1) as Array<[number, string, string]>)
    .filter(([, code]) => code === 'o')
    .map(([, , data]) => data)
    .join('');

test('a recording is asciicast v2 with its digest in the audit log', async (t) => {
  const { recordings, audited, clock, content } = await world(t);
  const recorder = await recordings.start(session('k'), { columns: 91, rows: 17 });
  clock.milliseconds += 1500;
  recorder.resize({ columns: 50, rows: 20 });
  await recorder.output(1, Buffer.from('hello'));
  recorder.mark('alex has joined');
  await recorder.output(2, Buffer.from('oops'));
  t.is(recordings.find('k')?.isEnded, false);
  t.is(output(await content('k')), 'hellooops', 'what was recorded so far can be read');
  await recorder.close();
  const [header, ...events] = linesOf(await content('k'));
  t.like(header, { version: 2, width: 91, height: 17, timestamp: 1_700_000_000, session: { key: 'k', user: 'kim' } });
  t.deepEqual(events, [
    [1.5, 'r', '50x20'],
    [1.5, 'o', 'hello'],
    [1.5, 'm', 'alex has joined'],
    [1.5, 'o', 'oops'],
  ]);
  t.like(audited[0], { action: 'session recorded', user: 'kim', key: 'k', outcome: 'ok' });
  t.is(
    audited[0]?.recording,
    createHash('sha256')
      .update(await content('k'))
      .digest('hex'),
  );
});

test('characters that are split over messages, bytes that are not UTF-8 and controls keep the lines whole', async (t) => {
  const { recordings, content } = await world(t);
  const recorder = await recordings.start(session('k'));
  const sent = Buffer.from('é\u2028"],[\\\n\r\u001b[2J\u0000€😀');
  for (const byte of sent) await recorder.output(1, Buffer.of(byte));
  await recorder.output(1, Buffer.of(0xff, 0xfe));
  await recorder.output(2, Buffer.from('€').subarray(0, 2));
  await recorder.close();
  t.is(output(await content('k')), `${sent.toString()}\ufffd\ufffd\ufffd`);
});

test('the characters of output and errors do not mix', async (t) => {
  const { recordings, content } = await world(t);
  const recorder = await recordings.start(session('k'));
  const [first, second] = [Buffer.from('€').subarray(0, 1), Buffer.from('€').subarray(1)];
  await recorder.output(1, first);
  await recorder.output(2, Buffer.from('x'));
  await recorder.output(1, second);
  await recorder.close();
  t.is(output(await content('k')), 'x€');
});

test('a recording that becomes too long fails, and stays valid up to there', async (t) => {
  const { recordings, audited, content } = await world(t, { recordingBytes: 2000 });
  const recorder = await recordings.start(session('k'));
  await recorder.output(1, Buffer.alloc(1000, 'a'));
  await t.throwsAsync(recorder.output(1, Buffer.alloc(1000, 'b')), {
    code: 'recording_failed',
    message: /at most 2000/,
  });
  await t.throwsAsync(recorder.output(1, Buffer.from('c')), { code: 'recording_failed' });
  await recorder.close();
  await t.throwsAsync(recorder.output(1, Buffer.from('d')), { code: 'recording_failed' });
  t.is(output(await content('k')), 'a'.repeat(1000));
  t.is(audited[0]?.outcome, 'recording_failed');
});

const refused = test.macro({
  title: (title = '') => `refuses a recording ${title}`,
  async exec(t, settings: Settings, expected: RegExp) {
    const { recordings } = await world(t, settings);
    await (await recordings.start(session('first'))).close();
    await t.throwsAsync(recordings.start(session('k')), { code: 'recording_failed', message: expected });
    t.is(recordings.find('k'), undefined);
    t.deepEqual(
      recordings.list().map(({ key }) => key),
      ['first'],
      'the older one stays',
    );
  },
});

test('beyond their number', refused, { recordings: 1 }, /there are 1 recordings/);
test('beyond their bytes', refused, { allRecordingBytes: 10 }, /recordings with \d+ bytes/);

test('refuses a recording without free bytes, and without a folder', async (t) => {
  const { recordings } = await world(t, { freeBytes: 10 });
  await t.throwsAsync(recordings.start(session('k')), { code: 'recording_failed', message: /has 10 free bytes/ });
  const none = new Recordings({
    ...{ folder: undefined, limits: defaultControlPlaneLimits, now: () => new Date(), monotonic: () => 0 },
    ...{ log: silentLog, audit: () => undefined },
  });
  await t.throwsAsync(none.start(session('k')), { code: 'recording_failed', message: /no folder/ });
});

test('a folder that has gone is an error of the session', async (t) => {
  const { recordings, folder } = await world(t);
  await writeFile(join(folder, '..', 'other'), '');
  const { rm } = await import('node:fs/promises');
  await rm(folder, { recursive: true });
  await t.throwsAsync(recordings.start(session('k')), { code: 'recording_failed', message: /ENOENT/ });
});

test('a recording is not replaced while it is kept, also after a restart', async (t) => {
  const { recordings, folder, clock, content } = await world(t);
  const recorder = await recordings.start(session('k'));
  await recorder.output(1, Buffer.from('evidence'));
  const refusal = { code: 'recording_failed', message: /there is a recording with the key k/ };
  await t.throwsAsync(recordings.start({ ...session('k'), user: 'eve' }), refusal);
  await recorder.close();
  await t.throwsAsync(recordings.start({ ...session('k'), user: 'eve' }), refusal);
  t.is(output(await content('k')), 'evidence');

  const later = await world(t, { folder });
  await t.throwsAsync(later.recordings.start(session('k')), refusal);
  t.is(output(await later.content('k')), 'evidence');
  const [name = ''] = await readdir(folder);
  await writeFile(join(folder, name), 'what this version cannot read');
  const last = await world(t, { folder });
  await t.throwsAsync(last.recordings.start(session('k')), refusal);
  t.deepEqual(await readdir(folder), [name]);

  clock.milliseconds += defaultControlPlaneLimits.recordingMs + 1;
  await (await recordings.start(session('k'))).close();
  t.is(output(await content('k')), '');
});

test('old recordings are deleted', async (t) => {
  const { recordings, clock, folder } = await world(t, { recordingMs: 1000 });
  await (await recordings.start(session('old'))).close();
  clock.milliseconds += 1001;
  await (await recordings.start(session('new'))).close();
  t.deepEqual(
    recordings.list().map(({ key }) => key),
    ['new'],
  );
  t.is((await readdir(folder)).length, 1);
});

test('after the end of the process in the middle, the recording is valid up to the cut', async (t) => {
  const first = await world(t);
  const recorder = await first.recordings.start(session('k'));
  await recorder.output(1, Buffer.from('kept'));
  const [name = ''] = await readdir(first.folder);
  await appendFile(join(first.folder, name), '[1.5,"o","cut o');
  const second = await world(t, { folder: first.folder });
  t.is(output(await second.content('k')), 'kept');
  t.like(second.recordings.find('k'), { isEnded: true, user: 'kim' });
  t.like(second.audited[0], { outcome: 'stream_lost', key: 'k' });
  t.is(
    second.audited[0]?.recording,
    createHash('sha256')
      .update(await second.content('k'))
      .digest('hex'),
  );
  const third = await world(t, { folder: first.folder });
  t.is(output(await third.content('k')), 'kept');
  t.deepEqual(third.audited, []);
});

test('files that are not recordings stay, and are not listed', async (t) => {
  const folder = join(dirname(await temporaryFile(t)), 'recordings');
  await mkdir(folder);
  const hex = createHash('sha256').update('other').digest('hex');
  await writeFile(join(folder, 'notes.txt'), 'x');
  await writeFile(join(folder, 'empty.cast'), '');
  await writeFile(join(folder, 'long.cast'), Buffer.alloc(100_000, 'x'));
  await writeFile(join(folder, `${hex}.part`), `${JSON.stringify({ version: 2, session: session('k') })}\n`);
  const { recordings } = await world(t, { folder });
  t.deepEqual(recordings.list(), []);
  t.is((await readdir(folder)).length, 4);
});

test('only the user of the process can read a recording', async (t) => {
  const { recordings, folder } = await world(t);
  await (await recordings.start(session('k'))).close();
  const [name = ''] = await readdir(folder);
  t.is((await stat(join(folder, name))).mode & 0o777, 0o600);
  t.is((await stat(folder)).mode & 0o777, 0o700);
  t.true((await readFile(join(folder, name))).length > 0);
});
