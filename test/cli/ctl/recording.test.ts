import { createHash } from 'node:crypto';
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import test from 'ava';
import { playRecording } from '../../../src/cli/ctl/recording/play-recording.ts';
import { temporaryFile } from '../../control-plane/support/file.ts';
import { testPlane } from '../../control-plane/support/plane.ts';
import { testProgram } from '../support/program.ts';

const header = {
  ...{ version: 2, width: 80, height: 24, timestamp: 1_700_000_000 },
  session: { key: 'k', agentId: 'edge-1', type: 'exec_pod', user: 'kim', pod: 'web-0', tty: true },
};
const content = `${JSON.stringify(header)}\n[0.001,"o","he"]\n[0.002,"r","9x9"]\n[500,"o","llo"]\n`;

test('recordings are listed, played and printed', async (t) => {
  const recordingFolder = join(dirname(await temporaryFile(t)), 'recordings');
  await mkdir(recordingFolder);
  await writeFile(join(recordingFolder, `${createHash('sha256').update('k').digest('hex')}.cast`), content);
  const { url } = await testPlane(t, { recordingFolder });
  const ctl = async (...args: string[]) => {
    const { run, stdout, stderr } = testProgram({ env: { HELM_AGENT_SERVER: url } });
    const code = await run('ctl', 'recording', ...args);
    return { code, out: stdout.text, error: stderr.text };
  };
  t.regex((await ctl('list')).out, /^KEY .*\nk +2023-11-14T22:13:20.000Z +kim +edge-1 +web-0 +\d+\n$/);
  t.is((await ctl('get', 'k')).out, content);
  t.deepEqual(await ctl('play', 'k', '--speed', '100000'), { code: 0, out: 'hello', error: '' });
  t.regex((await ctl('get', 'other')).error, /no recording has the key other/);
  t.regex((await ctl('play', 'k', '--speed', '0')).error, /--speed must be a number above 0/);
});

const broken = test.macro({
  title: (title = '') => `does not play ${title}`,
  async exec(t, line: string) {
    const lines = (async function* () {
      await Promise.resolve();
      yield* [JSON.stringify(header), line];
    })();
    const stdout = { writeBytes: () => Promise.resolve() };
    const { signal } = new AbortController();
    await t.throwsAsync(playRecording(lines, { stdout, speed: 1, maxPause: 1, signal }), { message: /^line 2 of/ });
  },
});

test('a line that is not JSON', broken, '[1,"o","x');
test('an event of another form', broken, '{"time":1}');
test('a time before the beginning', broken, '[-1,"o","x"]');
