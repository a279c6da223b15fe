import { finished } from 'node:stream/promises';
import test, { type ExecutionContext } from 'ava';
import { commandStreams } from '../../../../src/agent/command-stream.ts';
import type { CommandHandlers } from '../../../../src/agent/commands/command-handler.ts';
import { TunnelSource } from '../../../../src/agent/connection/tunnel-source.ts';
import type { SessionTerminal } from '../../../../src/cli/dependencies.ts';
import type { CommandPayloads } from '../../../../src/protocol/commands/index.ts';
import { channels, encodeMessage, messagesOf } from '../../../../src/protocol/streams/messages.ts';
import { testAgent } from '../../../agent/support/agent.ts';
import { PuppetHandlers } from '../../../agent/support/handlers.ts';
import { testPlane } from '../../../control-plane/support/plane.ts';
import { testProgram } from '../../support/program.ts';

const answer = { exitCode: 7, pod: 'web-0', container: 'app' };

/** An agent whose programs write back their input, and a program with a terminal. */
async function world(t: ExecutionContext, isTerminal = false) {
  const { plane, url, agentUrl } = await testPlane(t);
  const tunnels = new TunnelSource();
  const open = commandStreams(tunnels);
  const payloads: Array<CommandPayloads['exec_pod']> = [];
  const handlers: CommandHandlers = {
    ...new PuppetHandlers().handlers,
    async exec_pod(payload, { id, signal }) {
      payloads.push(payload);
      const stream = await open(id, signal);
      if (payload.stdin === true) {
        for await (const { channel, bytes } of messagesOf(stream, [channels.input, channels.control])) {
          if (channel === channels.control) break;
          stream.write(encodeMessage({ channel: channels.output, bytes }));
        }
      }
      stream.write(encodeMessage({ channel: channels.error, bytes: Buffer.from('done') }));
      stream.end();
      await finished(stream, { readable: false }); // the result must not arrive before the output
      return answer;
    },
  };
  await testAgent(t, { controlPlaneUrl: agentUrl, handlers, tunnels, allowedRights: ['exec'] });
  await plane.waitForAgent('edge-1');
  const calls: string[] = [];
  const written = { output: Buffer.alloc(0), error: Buffer.alloc(0) };
  const sessionTerminal: SessionTerminal = {
    isTerminal,
    size: () => ({ columns: 91, rows: 17 }),
    onResize: () => () => undefined,
    startRaw() {
      calls.push('raw');
      return () => calls.push('not raw');
    },
    async *input() {
      await Promise.resolve();
      yield Buffer.of(0xff, 0xfe, 0);
    },
    write(to, bytes) {
      written[to] = Buffer.concat([written[to], bytes]);
      return Promise.resolve();
    },
    close: () => calls.push('close'),
  };
  const { run, stderr } = testProgram({ env: { HELM_AGENT_SERVER: url, HELM_AGENT_AGENT: 'edge-1' }, sessionTerminal });
  return { run: (...args: string[]) => run('ctl', 'exec', ...args), stderr, payloads, calls, written };
}

test('passes pipes on as bytes, ends the input, and exits with the code of the program', async (t) => {
  const { run, payloads, calls, written } = await world(t);
  t.is(await run('web-0', '-n', 'shop', '-i', '--reason', 'why', '--', 'tar', '-x'), 7);
  t.like(payloads[0], { namespace: 'shop', name: 'web-0', command: ['tar', '-x'], stdin: true, reason: 'why' });
  t.deepEqual(written.output, Buffer.of(0xff, 0xfe, 0));
  t.is(written.error.toString(), 'done');
  t.deepEqual(calls, ['close']);
});

test('opens a shell in a terminal with its size, and restores the terminal', async (t) => {
  const { run, payloads, calls } = await world(t, true);
  t.is(await run('deploy/web'), 7);
  t.deepEqual(payloads, [
    { namespace: 'default', name: 'deploy/web', stdin: true, tty: true, size: { columns: 91, rows: 17 } },
  ]);
  t.deepEqual(calls, ['raw', 'not raw', 'close']);
});

test('with --release, all arguments are the program', async (t) => {
  const { run, payloads } = await world(t);
  t.is(await run('--release', 'web', '--', 'env', '-0'), 7);
  t.deepEqual(payloads, [{ namespace: 'default', releaseName: 'web', command: ['env', '-0'] }]);
});

const mistake = test.macro({
  title: (title = '') => `refuses ${title}`,
  async exec(t, args: string[], expected: RegExp) {
    const { run, stderr, payloads } = await world(t);
    t.is(await run(...args), 1);
    t.regex(stderr.text, expected);
    t.deepEqual(payloads, []);
  },
});

test('a command without a pod', mistake, [], /name a pod, a workload/);
test('a shell without a terminal', mistake, ['web-0'], /name a program after --/);
test('-t without a terminal', mistake, ['web-0', '-t', '--', 'sh'], /-t needs a terminal/);
