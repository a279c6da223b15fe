import test, { type ExecutionContext } from 'ava';
import { testPlane } from '../../control-plane/support/plane.ts';
import { eventually } from '../../support/eventually.ts';
import { testProgram } from '../support/program.ts';

async function world(t: ExecutionContext) {
  const { plane, url } = await testPlane(t);
  for (const agentId of ['a', 'b']) await plane.createEnrolment({ agentId });
  const program = (files: Record<string, string> = {}) => testProgram({ env: { HELM_AGENT_SERVER: url }, files });
  const run = async (args: string[], files?: Record<string, string>) => {
    const started = program(files);
    const code = await started.run(...args);
    return { code, stdout: started.stdout.text, stderr: started.stderr.text };
  };
  return { plane, program, run };
}

test('a log is printed, and checked', async (t) => {
  const { run } = await world(t);
  const { code, stdout: log } = await run(['ctl', 'audit']);
  t.is(code, 0);
  const lines = log.split('\n');
  t.is(lines.length, 3);
  t.like(JSON.parse(lines[0] ?? ''), { number: 1, action: 'createEnrolment', agentId: 'a', user: 'application' });
  const verified = await run(['audit', 'verify', 'log'], { log });
  t.regex(verified.stdout, /^2 entries, 1 to 2, are as written; the SHA-256 of the last line is [0-9a-f]{64}\n$/);
  const digest = /[0-9a-f]{64}/.exec(verified.stdout)?.[0] ?? '';
  t.is((await run(['audit', 'verify', 'log', '--contains', digest], { log })).code, 0);
  const cut = `${lines[0] ?? ''}\n`;
  t.is((await run(['audit', 'verify', 'log'], { log: cut })).stdout.slice(0, 22), 'entry 1 is as written;');
  const wrong = await run(['audit', 'verify', 'log', '--contains', digest], { log: cut });
  t.is(wrong.code, 1);
  t.regex(wrong.stderr, /the log was cut off or replaced/);
});

test('a log that was changed, or is not there, is an error', async (t) => {
  const { run } = await world(t);
  const { stdout: log } = await run(['ctl', 'audit']);
  const changed = await run(['audit', 'verify', 'log'], { log: log.replace('"agentId":"a"', '"agentId":"c"') });
  t.is(changed.code, 1);
  t.regex(changed.stderr, /line 2: entry 1 or entry 2 was changed/);
  t.regex((await run(['audit', 'verify', 'log'])).stderr, /log/);
});

test('a log is printed from a time on', async (t) => {
  const { run } = await world(t);
  t.is((await run(['ctl', 'audit', '--since', '2999-01-01T00:00:00Z'])).stdout, '');
  t.regex((await run(['ctl', 'audit', '--since', '2000-01-01T00:00:00Z'])).stdout, /"number":1/);
  for (const since of ['soon', '5', '2026', '-1h']) {
    const { code, stderr } = await run(['ctl', 'audit', `--since=${since}`]);
    t.is(code, 1);
    t.regex(stderr, /--since must be 30m, 24h or 7d, or a time in RFC 3339, not "/);
  }
});

test('a log is followed until Ctrl-C', async (t) => {
  const { plane, program } = await world(t);
  const { run, stdout, interrupt, stderr } = program();
  const code = run('ctl', 'audit', '--follow');
  await eventually('the first entries are printed', () => stdout.text.includes('"number":2'));
  await plane.createEnrolment({ agentId: 'c' });
  await eventually('the next entry is printed', () => stdout.text.includes('"number":3'));
  interrupt();
  t.is(await code, 0, stderr.text);
  t.is(stdout.text.split('\n').length, 4);
});
