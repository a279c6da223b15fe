import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import test, { type ExecutionContext } from 'ava';
import { testAgent } from '../agent/support/agent.ts';
import { testPlane } from '../control-plane/support/plane.ts';
import { eventually } from '../support/eventually.ts';
import { program } from '../support/program.ts';
import { quickStart } from '../support/quick-start.ts';

/** Starts `ctl` in a process of its own, for an agent whose commands the test ends. */
async function started(t: ExecutionContext, ...args: string[]) {
  const { plane, url, agentUrl } = await testPlane(t);
  const { puppets } = await testAgent(t, { controlPlaneUrl: agentUrl });
  await plane.waitForAgent('edge-1');
  const child = spawn(process.execPath, [program, 'ctl', ...args], {
    env: { ...quickStart(), HELM_AGENT_SERVER: url, HELM_AGENT_AGENT: 'edge-1' },
  });
  t.teardown(() => child.kill('SIGKILL'));
  const printed = { stderr: '' };
  child.stderr.on('data', (bytes: Buffer) => (printed.stderr += bytes.toString()));
  const call = await puppets.call(0);
  await eventually('the command is followed', () => printed.stderr.includes('accepted'));
  return { child, puppets, call, printed, output: text(child.stdout), exited: once(child, 'exit') };
}

const codes = { SIGINT: 0, SIGTERM: 143, SIGHUP: 129 } as const;

for (const [signal, code] of Object.entries(codes) as [keyof typeof codes, number][]) {
  test(`${signal} cancels what ctl watches, so that the agent does not continue the watch`, async (t) => {
    const { child, puppets, call, output, exited } = await started(t, 'list-objects', 'pods', '--watch');
    child.kill(signal);
    const cancel = await puppets.call(1);
    t.is(cancel.type, 'cancel_command');
    cancel.succeed({ cancelled: true });
    call.succeed({ reported: 3 });
    t.deepEqual(await exited, [code, null]);
    t.is(await output, '3 changes\n');
  });
}

for (const [signal, code] of Object.entries({ ...codes, SIGINT: 1 }) as [keyof typeof codes, number][]) {
  test(`${signal} leaves an operation that ctl follows running, and says how to follow it again`, async (t) => {
    const { child, call, printed, exited } = await started(t, 'install', 'web', 'nginx', '--on-agent');
    child.kill(signal);
    t.deepEqual(await exited, [code, null]);
    t.regex(printed.stderr, /\nStopped following\. The agent continues the operation; .*\n {2}.*ctl watch /);
    t.false(call.context.signal.aborted);
  });
}
