import { once } from 'node:events';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import test from 'ava';
import { commandStreams } from '../../../src/agent/command-stream.ts';
import type { CommandHandlers } from '../../../src/agent/commands/command-handler.ts';
import { TunnelSource } from '../../../src/agent/connection/tunnel-source.ts';
import { readPortPair } from '../../../src/cli/ctl/port-forward/port-pair.ts';
import type { CommandPayloads } from '../../../src/protocol/commands/index.ts';
import { channels, encodeMessage, messagesOf } from '../../../src/protocol/streams/messages.ts';
import { testAgent } from '../../agent/support/agent.ts';
import { PuppetHandlers } from '../../agent/support/handlers.ts';
import { testPlane } from '../../control-plane/support/plane.ts';
import { eventually } from '../../support/eventually.ts';
import { testProgram } from '../support/program.ts';

test('each connection reaches a port of its own command, and many at a time', async (t) => {
  const { plane, url, agentUrl } = await testPlane(t);
  const tunnels = new TunnelSource();
  const open = commandStreams(tunnels);
  const payloads: Array<CommandPayloads['port_forward']> = [];
  const handlers: CommandHandlers = {
    ...new PuppetHandlers().handlers,
    async port_forward(payload, { id, signal }) {
      payloads.push(payload);
      if (payload.port === 81) throw new Error('nothing listens');
      const stream = await open(id, signal);
      for await (const { channel, bytes } of messagesOf(stream, [channels.input, channels.control])) {
        if (channel === channels.control) break;
        stream.write(encodeMessage({ channel: channels.output, bytes }));
      }
      stream.end();
      return { pod: 'web-0' };
    },
  };
  await testAgent(t, { controlPlaneUrl: agentUrl, handlers, tunnels, allowedRights: ['exec'] });
  await plane.waitForAgent('edge-1');
  const { run, stdout, stderr, interrupt } = testProgram({
    env: { HELM_AGENT_SERVER: url, HELM_AGENT_AGENT: 'edge-1' },
  });
  const running = run('ctl', 'port-forward', 'deploy/web', ':80', ':81', '-n', 'shop');
  await eventually('it listens', () => stdout.text.split('\n').length > 2);
  const ports = [...stdout.text.matchAll(/Forwarding from 127\.0\.0\.1:(\d+) to port \d+/g)].map(([, port]) =>
    Number(port),
  );
  const ask = async (content: string, port = ports[0] ?? 0) => {
    const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true });
    await once(socket, 'connect');
    socket.end(content);
    return await text(socket);
  };
  const contents = Array.from({ length: 10 }, (_, number) => `connection ${number} `.repeat(10_000));
  t.deepEqual(await Promise.all(contents.map((content) => ask(content))), contents);
  t.is(await ask('x', ports[1]), '');
  t.like(payloads[0], { namespace: 'shop', name: 'deploy/web', port: 80 });
  t.regex(stderr.text, /port 81: /);
  interrupt();
  t.is(await running, 130);
});

const pair = test.macro({
  title: (_title, given: string) => `reads the port ${JSON.stringify(given)}`,
  exec(t, given: string, expected: { local: number; remote: number } | undefined) {
    if (expected) t.deepEqual(readPortPair(given), expected);
    else t.throws(() => readPortPair(given), { message: /^a port must be 80, 8080:80 or :80/ });
  },
});

test(pair, '80', { local: 80, remote: 80 });
test(pair, '8080:80', { local: 8080, remote: 80 });
test(pair, ':80', { local: 0, remote: 80 });
test(pair, '0:80', { local: 0, remote: 80 });
for (const wrong of ['', ':', '0', '80:', '65536', '65536:80', '1:2:3', '-1', '8080:http', ' 80', '9'.repeat(50_000)]) {
  test(pair, wrong.slice(0, 100), undefined);
}
