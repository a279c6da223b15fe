import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import test from 'ava';
import { WebSocketServer } from 'ws';
import { pipeTerminal } from '../../../../src/cli/ctl/exec/pipe-terminal.ts';
import { runSession } from '../../../../src/cli/ctl/exec/run-session.ts';
import { execPod } from '../../../../src/protocol/commands/exec-pod.ts';

test('a program has not ended well if its output could not be passed on', async (t) => {
  const server = new WebSocketServer({ port: 0, host: '127.0.0.1' });
  t.teardown(() => server.close());
  server.on('connection', (socket) => {
    socket.send(Buffer.concat([Buffer.of(1), Buffer.from('a part')]));
    socket.send(JSON.stringify({ type: 'error', payload: { code: 'stream_lost', message: 'the rest is lost' } }));
    socket.send(JSON.stringify({ type: 'result', payload: { ok: true, exitCode: 0, pod: 'web-0', container: 'app' } }));
  });
  await once(server, 'listening');
  const url = `ws://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const session = runSession({ url, headers: {}, ca: undefined }, execPod.answer, {
    terminal: pipeTerminal({}),
    input: false,
    tty: false,
    signal: new AbortController().signal,
    onNotice: () => undefined,
  });
  await t.throwsAsync(session, { message: 'the rest is lost (stream_lost)' });
});
