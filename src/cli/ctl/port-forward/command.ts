import { once } from 'node:events';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { Semaphore } from '../../../async/index.ts';
import { messageOf } from '../../../errors/index.ts';
import type { CommandParameters } from '../../../protocol/commands/index.ts';
import { portForward } from '../../../protocol/commands/port-forward.ts';
import type { Command, Invocation } from '../../cobra/command.ts';
import type { ProgramDependencies, SessionTerminal } from '../../dependencies.ts';
import { explainListenError } from '../../listen-error.ts';
import { textFlag } from '../../pflag/flag.ts';
import { oneLine } from '../../text.ts';
import { fieldFlags } from '../../verb/field-flags.ts';
import { fieldValues } from '../../verb/field-values.ts';
import type { ApiClient } from '../api-client.ts';
import { pipeTerminal } from '../exec/pipe-terminal.ts';
import { runSession } from '../exec/run-session.ts';
import { failureText } from '../result-text.ts';
import { sendFlags, sessionFlags } from '../send-flags.ts';
import { createSession } from '../session.ts';
import { readPortPair } from './port-pair.ts';

const line = { program: 'ctl' } as const;

/** Exit code of a program that Ctrl-C has ended, as in shells. */
const interruptedCode = 130;

/** Number of connections at a time. Others wait until one has ended. */
const maxConnections = 32;

export const portForwardCommand: Command<ProgramDependencies> = {
  use: 'port-forward POD [LOCAL:]REMOTE [...]',
  long: `Forward ports of this machine to a pod, until Ctrl-C. POD can also be a workload,
such as deploy/web, of which a pod that runs is taken for each connection. The port
of this machine is that of the pod if it is left out, and a free one for :REMOTE.
The owner of the agent has to allow it: --allow-rights exec.`,
  examples: [
    'web-0 8080:80 -n shop --agent edge-1',
    'deploy/web 8080:80 9090 -n shop --agent edge-1',
    '--release web :5432 --agent edge-1',
  ],
  flags: () => [
    ...fieldFlags(portForward.fields, line),
    ...sendFlags(),
    textFlag('namespace', 'namespace of the pod (default: default)', { shorthand: 'n' }),
    textFlag('address', 'address of this machine to listen on', { initial: '127.0.0.1' }),
  ],
  run: forwardPorts,
};

type Payload = CommandParameters['port_forward'];

interface Forwarding {
  client: ApiClient;
  agent: string;
  signal: AbortSignal;
  turns: Semaphore;
  stderr: ProgramDependencies['stderr'];
}

async function forwardPorts({ args, flags, context }: Invocation<ProgramDependencies>): Promise<number> {
  const session = createSession(context);
  const sent = sessionFlags(flags);
  const agent = session.agentOf(sent);
  const values = fieldValues(portForward.fields, line, flags, false) as Partial<Payload>; // of its fields
  const name = values.releaseName === undefined ? args[0] : undefined;
  const ports = args.slice(name === undefined ? 0 : 1);
  if (name === undefined && values.releaseName === undefined) {
    throw new Error('name a pod, a workload such as deploy/web, or a release with --release');
  }
  if (ports.length === 0) throw new Error('name a port, such as 8080:80');
  const pairs = ports.map(readPortPair);
  const target = {
    ...values,
    ...(name !== undefined && { name }),
    namespace: flags.optionalText('namespace') ?? 'default',
  };
  const stopped = new AbortController();
  const { signal } = stopped;
  const { stdout, stderr } = context;
  const forwarding = {
    client: await session.client(sent),
    agent,
    signal,
    turns: new Semaphore(maxConnections),
    stderr,
  };
  const release = context.onInterrupt(() => stopped.abort());
  const servers: Server[] = [];
  try {
    for (const { local, remote } of pairs) {
      const server = createServer({ allowHalfOpen: true }, (socket) => {
        void forwardConnection(forwarding, { ...target, port: remote }, socket);
      });
      servers.push(server);
      const address = flags.text('address');
      server.listen(local, address);
      await once(server, 'listening').catch((error: unknown) => {
        throw explainListenError(error, () => ({ port: 'LOCAL', host: '--address' }));
      });
      const { port } = server.address() as AddressInfo; // a TCP server that listens has one
      stdout.write(`Forwarding from ${address}:${port} to port ${remote}\n`);
    }
    if (!signal.aborted) await once(signal, 'abort');
    return interruptedCode;
  } finally {
    release();
    stopped.abort();
    for (const server of servers) server.close();
  }
}

/** Forwards one connection until it ends. Never rejects. */
async function forwardConnection(
  { client, agent, signal, turns, stderr }: Forwarding,
  payload: Payload,
  socket: Socket,
): Promise<void> {
  const gone = new AbortController();
  const ended = AbortSignal.any([signal, gone.signal]);
  socket.on('error', () => gone.abort());
  socket.once('close', () => gone.abort());
  try {
    await turns.run(async () => {
      const { key } = await client.send(agent, { type: 'port_forward', payload }, ended);
      const result = await runSession(client.sessionAddress(key), portForward.answer, {
        terminal: terminalOf(socket),
        ...{ input: true, tty: false, signal: ended },
        onNotice: () => undefined, // no one can watch it
      });
      if (!result.ok) stderr.write(`port ${payload.port}: ${failureText(result.error)}`);
    }, ended);
  } catch (error) {
    if (!ended.aborted) stderr.write(`port ${payload.port}: ${oneLine(messageOf(error))}\n`);
    socket.destroy();
  }
  if (signal.aborted) socket.destroy();
  else socket.end();
}

/** Returns a connection as the input and the output of a session. */
function terminalOf(socket: Socket): SessionTerminal {
  return pipeTerminal({
    input: () => socket.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>, // no encoding is set
    async write(_to, bytes) {
      if (!socket.write(bytes)) await once(socket, 'drain');
    },
  });
}
