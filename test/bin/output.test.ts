import { spawn } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import test, { type ExecutionContext } from 'ava';
import { testAgent } from '../agent/support/agent.ts';
import { testPlane } from '../control-plane/support/plane.ts';
import { program } from '../support/program.ts';
import { quickStart } from '../support/quick-start.ts';

/** Runs a line of bash in which `helm-agent` is this program. Returns what it prints. */
async function bash(t: ExecutionContext, line: string, env: Record<string, string> = {}): Promise<string> {
  const start = `helm-agent() { ${JSON.stringify(process.execPath)} ${JSON.stringify(program)} "$@"; }`;
  const child = spawn('bash', ['-c', `${start}\n${line}`], {
    env: { PATH: process.env['PATH'], ...quickStart(), ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
    detached: true,
  });
  t.teardown(() => {
    if (child.exitCode === null && child.pid !== undefined) process.kill(-child.pid, 'SIGKILL');
  });
  return text(child.stdout);
}

const at = '2026-01-01T10:00:01.000Z';

const outputs = {
  'to head': '2>&1 | head -1 >/dev/null; echo "${PIPESTATUS[0]}"',
  'to true': '2>&1 | true; echo "${PIPESTATUS[0]}"',
  'to a closed stdout': '>&- 2>/dev/null; code=$?; echo $code',
  'to a closed stderr': '2>&- >/dev/null; code=$?; echo $code',
  'to nothing at all': '>&- 2>&- <&-; code=$?; echo $code',
};

for (const [name, output] of Object.entries(outputs)) {
  test(`an upgrade that fails exits with 1 if its output goes ${name}, and one that succeeds with 0`, async (t) => {
    const { plane, url, agentUrl } = await testPlane(t);
    const { puppets } = await testAgent(t, { controlPlaneUrl: agentUrl });
    await plane.waitForAgent('edge-1');
    for (const [index, expected] of ['1\n', '0\n'].entries()) {
      const code = bash(t, `helm-agent ctl upgrade web nginx --agent edge-1 ${output}`, { HELM_AGENT_SERVER: url });
      const call = await puppets.call(index);
      for (let step = 0; step < 200; step++) {
        call.context.progress({ time: at, step: 'wait', state: 'done', message: `step ${step}` });
      }
      if (expected === '1\n') call.fail(Object.assign(new Error('no value'), { code: 'render_failed' }));
      else call.succeed({});
      t.is(await code, expected);
    }
  });
}

test('commands that only print exit with their result if no one reads it', async (t) => {
  const { plane, url, agentUrl } = await testPlane(t);
  const { puppets } = await testAgent(t, { controlPlaneUrl: agentUrl });
  await plane.waitForAgent('edge-1');
  const env = { HELM_AGENT_SERVER: url, HELM_AGENT_AGENT: 'edge-1' };
  for (const [index, command] of ['ctl list --agent edge-1', 'helm list'].entries()) {
    const code = bash(t, `helm-agent ${command} 2>&1 | true; echo "\${PIPESTATUS[0]}"`, env);
    (await puppets.call(index)).fail(Object.assign(new Error('no'), { code: 'internal' }));
    t.is(await code, '1\n', command);
  }
  for (const command of [
    'template no-such-chart',
    'lint no-such-chart',
    'helm template x no-such-chart',
    'no-such-command',
  ]) {
    t.is(await bash(t, `helm-agent ${command} 2>&1 | true; echo "\${PIPESTATUS[0]}"`), '1\n', command);
  }
  t.is(await bash(t, 'helm-agent template --help | true; echo "${PIPESTATUS[0]}"'), '0\n');
});

test('a command that only watches ends when its reader is gone', async (t) => {
  const { plane, url, agentUrl } = await testPlane(t);
  const { puppets } = await testAgent(t, { controlPlaneUrl: agentUrl });
  await plane.waitForAgent('edge-1');
  const line = 'helm-agent ctl status web --watch -o json --agent edge-1 | head -1 >/dev/null; echo "${PIPESTATUS[0]}"';
  const code = bash(t, line, { HELM_AGENT_SERVER: url });
  const call = await puppets.call(0);
  let count = 0;
  const timer = setInterval(() => {
    call.context.progress({ time: at, step: 'watch', state: 'running', message: `change ${count++}` });
  }, 50);
  t.teardown(() => clearInterval(timer));
  const cancel = await puppets.call(1);
  t.is(cancel.type, 'cancel_command');
  cancel.succeed({ cancelled: true });
  call.fail(Object.assign(new Error('cancelled'), { code: 'cancelled' }));
  t.is(await code, '141\n');
});

test('a token that no one has read is a failure', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'helm-agent-'));
  t.teardown(() => rm(folder, { recursive: true }));
  const line = 'helm-agent agents add edge-1 --agents-file agents 2>err | true; echo "${PIPESTATUS[0]}"; cat err';
  t.regex(
    await bash(t, `cd ${folder}; ${line}`),
    /^1\nError: no one has read the token of edge-1, which is stored nowhere; revoke edge-1 --token [0-9a-f]{12}, and try again\n$/,
  );
});

test('a full disk is a failure', async (t) => {
  try {
    closeSync(openSync('/dev/full', 'w'));
  } catch {
    t.log('this system has no /dev/full');
    t.pass();
    return;
  }
  const folder = await mkdtemp(join(tmpdir(), 'helm-agent-'));
  t.teardown(() => rm(folder, { recursive: true }));
  await writeFile(join(folder, 'Chart.yaml'), 'apiVersion: v2\nname: web\nversion: 1.0.0\n');
  const output = await bash(t, `helm-agent show chart ${folder} 2>&1 >/dev/full; code=$?; echo $code`);
  t.regex(output, /^Error: cannot write the output: .*ENOSPC.*\n1\n$/);
});
