import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { createStory } from '../../src/bin/demo/story.ts';
import { recordingTerminal } from '../cli/support/program.ts';
import { quickStart } from '../support/quick-start.ts';

const program = new URL('../../src/bin/demo.ts', import.meta.url).pathname;

/** Runs the demo. `onText` gets all text so far, and a function that sends Ctrl-C. */
async function demo(t: ExecutionContext, onText: (text: string, interrupt: () => void) => void, args: string[] = []) {
  const folder = await mkdtemp(join(tmpdir(), 'helm-agent-'));
  t.teardown(() => rm(folder, { recursive: true }));
  const child = spawn(process.execPath, [program, ...args], { env: { ...quickStart(), TMPDIR: folder } });
  t.teardown(() => child.kill('SIGKILL'));
  let text = '';
  const collect = (chunk: Buffer) => {
    text += chunk.toString();
    onText(text, () => child.kill('SIGINT'));
  };
  child.stdout.on('data', collect);
  child.stderr.on('data', collect);
  const [code] = (await once(child, 'close')) as [number | null];
  return { code, text, left: await readdir(folder) };
}

test('the demo tells in five sentences that a missing image ends the wait at once', async (t) => {
  const { code, text, left } = await demo(t, () => undefined);
  t.is(code, 0, text);
  t.is(text.split('\n').filter((line) => /^[A-Z].*\.$/.test(line)).length, 5, text);
  const [, seconds = ''] = /The wait has ended after ([\d.]+)s, not after its 5 minutes/.exec(text) ?? [];
  t.true(Number(seconds) < 60, 'a fraction of a second if the machine is not busy');
  t.regex(text, /app:missing: not found/);
  t.regex(text, /container web of pod .*: waiting: (?:ErrImagePull|ImagePullBackOff: .*)\n/);
  t.regex(text, /revision 2 +failed .*\n +revision 3 +deployed +Rollback to 1\n/);
  t.deepEqual(left, []);
});

test('the demo of 200 agents tells that a rollout stops at its first cluster, which gets back what it had', async (t) => {
  t.timeout(180_000);
  const started = performance.now();
  const { code, text, left } = await demo(t, () => undefined, ['--fleet']);
  t.is(code, 0, text);
  t.is(text.split('\n').filter((line) => /^[A-Z].*\.$/.test(line)).length, 4, text);
  t.regex(text, /201 clusters have it after [\d.]+s\./);
  t.regex(text, /It ended after [\d.]+s: .*app:missing: not found/);
  t.regex(text, /demo: revision 2 +failed .*\n +demo: revision 3 +deployed +Rollback to 1\n/);
  t.regex(text, /✗ wave 1 +1 +1 reverted\n +· wave 2 +21 +21 pending\n +· wave 3 +179 +179 pending\n/);
  t.deepEqual(left, []);
  t.log(`it took ${((performance.now() - started) / 1000).toFixed(1)} s`);
});

for (const [name, moment] of Object.entries({
  'while the fleet connects': /^A control plane/,
  'during the first rollout': /A rollout installs/,
  'during the one that fails': /The next version/,
})) {
  test(`Ctrl-C ${name} ends the demo of a fleet with 130, and nothing is left`, async (t) => {
    t.timeout(180_000);
    let isSent = false;
    const { code, text, left } = await demo(
      t,
      (printed, interrupt) => {
        if (!isSent && moment.test(printed)) {
          isSent = true;
          interrupt();
        }
      },
      ['--fleet', '--agents', '10'],
    );
    t.is(code, 130, text);
    t.deepEqual(left, []);
  });
}

const refused: Record<string, { args: string[]; message: RegExp }> = {
  'a real cluster': {
    args: ['--fleet', '--kubeconfig', 'config'],
    message: /^--fleet has a simulated cluster; leave --kubeconfig out/,
  },
  'no agents': { args: ['--fleet', '--agents', '0'], message: /^--agents must be a number from 1 to 1000/ },
  'too many agents': { args: ['--fleet', '--agents', '1001'], message: /^--agents must be a number from 1 to 1000/ },
  'agents without a fleet': { args: ['--agents', '10'], message: /^--agents is for a fleet; add --fleet/ },
};
for (const [name, { args, message }] of Object.entries(refused)) {
  test(`the demo refuses ${name}`, async (t) => {
    const { code, text } = await demo(t, () => undefined, args);
    t.is(code, 1);
    t.regex(text, message);
  });
}

const moments: Record<string, RegExp> = {
  'while it starts': /^A control plane/,
  'during the installation': /The agent installs/,
  'when the upgrade begins': /An upgrade to an image/,
  'before the uninstallation': /The failed upgrade/,
};
for (const [name, moment] of Object.entries(moments)) {
  test(`Ctrl-C ${name} ends the demo with 130, and nothing is left`, async (t) => {
    let isSent = false;
    const { code, text, left } = await demo(t, (printed, interrupt) => {
      if (!isSent && moment.test(printed)) {
        isSent = true;
        interrupt();
      }
    });
    t.is(code, 130, text);
    t.deepEqual(left, []);
  });
}

test('a story on a terminal is one screen, and its lines are not longer than the terminal', (t) => {
  const terminal = recordingTerminal(true); // 60 columns and 24 lines
  const story = createStory(terminal);
  story.begin('One.');
  story.showNow(Array.from({ length: 100 }, (_, index) => `line ${index}`));
  story.tell(`it ${'ends '.repeat(30)}`);
  story.begin('Two.');
  story.end();
  const frames = terminal.text.split(/\u001b\[\d+A\u001b\[J/);
  for (const frame of frames) {
    const lines = frame.split('\n').slice(0, -1);
    t.true(lines.length < 24);
    for (const line of lines) t.true(line.length <= 60, line);
  }
  const last = frames.at(-1) ?? '';
  t.regex(last, /^✓ One\.\n {4}it ends (?:ends )+ends\n(?: {4}(?:ends )+(?:ends)?\n)+✓ Two\.\n$/);
});
