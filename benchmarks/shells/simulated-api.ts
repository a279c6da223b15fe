// A Kubernetes API server without nodes, in a process of its own: the sandbox, and before it a
// server with TLS that also runs programs. The programs are `exit N`, `cat` without arguments, and
// `send N`, which writes N bytes. The pod `long` has a log of many MiB. Prints its kubeconfig.
//   node benchmarks/shells/simulated-api.ts MIB
import { once } from 'node:events';
import { type IncomingMessage, request as httpRequest } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import { WebSocket, WebSocketServer } from 'ws';
import { processHost } from '../../src/render/process-host.ts';
import { makeCertificates } from '../../src/sandbox/certificates.ts';
import { kubeconfigText, startSandbox } from '../../src/sandbox/sandbox.ts';

/** The sizes of the messages of `send`, as those of Kubernetes 1.35 are on average. */
const messageBytes = [4096, 4096, 4096, 4096, 4096, 28_672, 28_672, 28_672];

const host = processHost();
const sandbox = await startSandbox({ host, scheme: 'http', historyLimit: 100_000, speed: 20 });
const { ca, certificate, key } = makeCertificates(host, '127.0.0.1');

const server = createServer({ cert: certificate, key }, (incoming, outgoing) => {
  const { method, headers, url = '' } = incoming;
  if (url.includes('/pods/long/log')) {
    Readable.from(longLog()).pipe(outgoing);
    return;
  }
  const passed = httpRequest(sandbox.url + url, { method, headers }, (response) => {
    outgoing.writeHead(response.statusCode ?? 500, response.headers);
    outgoing.flushHeaders();
    response.pipe(outgoing);
  });
  passed.on('error', () => outgoing.destroy());
  outgoing.once('close', () => passed.destroy());
  incoming.pipe(passed);
});
const sockets = new WebSocketServer({ server, perMessageDeflate: false, handleProtocols: () => 'v5.channel.k8s.io' });
sockets.on('connection', (socket, request) => void run(socket, request));
server.listen(0, '127.0.0.1');
await once(server, 'listening');
process.stdout.write(kubeconfigText(`https://127.0.0.1:${(server.address() as AddressInfo).port}`, ca, undefined));
process.stdout.end();

/** Yields lines of 1 KiB with a time each. */
function* longLog(): Generator<Buffer> {
  const line = `2026-11-26T12:00:00.000000001Z ${'x'.repeat(1024 - 32)}\n`;
  const chunk = Buffer.from(line.repeat(64));
  for (let left = Number(process.argv[2] ?? 0) * 16; left > 0; left--) yield chunk;
}

async function run(socket: WebSocket, { url = '' }: IncomingMessage): Promise<void> {
  const command = new URL(url, 'http://host').searchParams.getAll('command').join(' ').split(' ');
  const number = Number(command.at(-1));
  if (command.includes('cat')) {
    socket.on('message', (data: Buffer) => {
      if (data[0] === 0) socket.send(Buffer.concat([Buffer.of(1), data.subarray(1)]));
    });
    return;
  }
  if (command.includes('send')) await send(socket, number);
  const code = command.includes('exit') ? number : 0;
  const status =
    code === 0
      ? { status: 'Success' }
      : {
          ...{ status: 'Failure', reason: 'NonZeroExitCode' },
          details: { causes: [{ reason: 'ExitCode', message: String(code) }] },
        };
  socket.send(Buffer.concat([Buffer.of(3), Buffer.from(JSON.stringify(status))]));
  socket.close();
}

async function send(socket: WebSocket, bytes: number): Promise<void> {
  const messages = messageBytes.map((size) => Buffer.alloc(size + 1, 'x').fill(1, 0, 1));
  for (let left = bytes, index = 0; left > 0 && socket.readyState === WebSocket.OPEN; index++) {
    const message = (messages[index % messages.length] ?? Buffer.alloc(1)).subarray(0, left + 1);
    left -= message.length - 1;
    socket.send(message);
    while (socket.bufferedAmount > 256 * 1024) await new Promise((resolve) => setImmediate(resolve));
  }
}
