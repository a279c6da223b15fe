import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { buffer, text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import test, { type ExecutionContext } from 'ava';
import { commandStreams } from '../../src/agent/command-stream.ts';
import type { CommandHandlers } from '../../src/agent/commands/command-handler.ts';
import { TunnelSource } from '../../src/agent/connection/tunnel-source.ts';
import { encodeLogRecord } from '../../src/protocol/streams/log-records.ts';
import { channels, encodeMessage, messagesOf } from '../../src/protocol/streams/messages.ts';
import { testAgent } from '../agent/support/agent.ts';
import { PuppetHandlers } from '../agent/support/handlers.ts';
import { testPlane } from './support/plane.ts';

const client = fileURLToPath(new URL('../../examples/python/helm_agent.py', import.meta.url));

const withPython: (title: string, run: (t: ExecutionContext) => Promise<void>) => void = hasPython()
  ? test
  : (title) => test.skip(`${title} (python3 is not installed)`, (t) => t.pass());

function hasPython(): boolean {
  try {
    execFileSync('python3', ['--version'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

/** An agent whose programs write back their input, and end with 7. */
async function world(t: ExecutionContext, allowedRights: Array<'exec' | 'logs'>) {
  const { plane, url, agentUrl } = await testPlane(t);
  const tunnels = new TunnelSource();
  const open = commandStreams(tunnels);
  const handlers: CommandHandlers = {
    ...new PuppetHandlers().handlers,
    async exec_pod(_payload, { id, signal }) {
      const stream = await open(id, signal);
      for await (const { channel, bytes } of messagesOf(stream, [channels.input, channels.control])) {
        if (channel === channels.control) break;
        stream.write(encodeMessage({ channel: channels.output, bytes }));
      }
      stream.write(encodeMessage({ channel: channels.error, bytes: Buffer.from('done') }));
      stream.end();
      return { exitCode: 7, pod: 'web-0', container: 'app' };
    },
    async pod_logs(_payload, { id, signal }) {
      const stream = await open(id, signal);
      const cursor = { pod: 'web-0', container: 'app', uid: 'u', run: 0, time: '', lines: 1 };
      stream.write(encodeLogRecord({ cursor }, Buffer.from('one\ntwo \u00e9', 'latin1')));
      stream.write(encodeLogRecord({ notice: 'a notice' }));
      stream.resume().end();
      await once(stream, 'close');
      return { containers: 1 };
    },
  };
  await testAgent(t, { controlPlaneUrl: agentUrl, handlers, tunnels, allowedRights });
  await plane.waitForAgent('edge-1');
  return async (args: string[], input: Uint8Array = Buffer.alloc(0)) => {
    const child = spawn('python3', [client, ...args], { env: { ...process.env, HELM_AGENT_SERVER: url } });
    child.stdin.on('error', () => undefined).end(input);
    const [stdout, stderr] = await Promise.all([buffer(child.stdout), text(child.stderr), once(child, 'close')]);
    return { stdout, stderr, code: child.exitCode };
  };
}

withPython('the Python example runs a program, with bytes, the end of the input and the exit code', async (t) => {
  const run = await world(t, ['exec']);
  const content = Buffer.alloc(300_000, Buffer.of(0xff, 0, 0xfe, 0x0a));
  const { stdout, stderr, code } = await run(['exec', 'edge-1', 'shop', 'web-0', 'cat', '-'], content);
  t.is(code, 7, stderr);
  t.true(stdout.equals(content));
  t.is(stderr, 'done');
});

withPython('the Python example prints a log as it is', async (t) => {
  const run = await world(t, ['logs']);
  const { stdout, code, stderr } = await run(['logs', 'edge-1', 'shop', 'web-0']);
  t.is(code, 0, stderr);
  t.deepEqual(stdout, Buffer.from('one\ntwo \u00e9', 'latin1'));
});

withPython('the Python example says what the owner of the agent does not allow', async (t) => {
  const run = await world(t, []);
  const { code, stderr } = await run(['exec', 'edge-1', 'shop', 'web-0', 'id']);
  t.is(code, 1);
  t.regex(stderr, /\(forbidden\)/);
});
