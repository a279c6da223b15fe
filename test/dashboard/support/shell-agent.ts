import type { Duplex } from 'node:stream';
import { startAgent } from '../../../src/agent/agent.ts';
import { commandStreams } from '../../../src/agent/command-stream.ts';
import type { CommandHandlers } from '../../../src/agent/commands/command-handler.ts';
import { TunnelSource } from '../../../src/agent/connection/tunnel-source.ts';
import { OperationError } from '../../../src/operation/error.ts';
import { encodeLogRecord } from '../../../src/protocol/streams/log-records.ts';
import { channels, messagesOf, writeMessages } from '../../../src/protocol/streams/messages.ts';
import { PuppetHandlers } from '../../agent/support/handlers.ts';
import { recordingLog } from '../../agent/support/log.ts';
import type { DashboardWorld } from './world.ts';

/** The log of the only container of an agent that has shells and logs. */
export interface ShellAgent {
  /** Adds a line to the log, which followers get. */
  log(line: string): void;
}

/** The prompt of the shell. */
export const prompt = 'web-0 $ ';

/**
 * Starts an agent with one pod, whose shell says back what it reads and ends with `exit`, and whose
 * log a test writes.
 */
export async function startShellAgent(
  { url, plane }: DashboardWorld,
  agentId: string,
  cleanup: AsyncDisposableStack,
): Promise<ShellAgent> {
  const tunnels = new TunnelSource();
  const open = commandStreams(tunnels);
  const lines: string[] = [];
  const followers = new Set<() => void>();
  const container = { pod: 'web-0', container: 'app' };
  const handlers: CommandHandlers = {
    ...new PuppetHandlers().handlers,
    async exec_pod({ name, reason, size }, { id, signal }) {
      if (name === 'missing') throw new OperationError('not_found', 'there is no pod missing');
      const stream = await open(id, signal, {
        ...{ ...container, command: 'sh', tty: true },
        ...(reason !== undefined && { reason }),
        ...(size && { size }),
      });
      await talk(stream);
      return { exitCode: 0, ...container };
    },
    async pod_logs({ cursors = [] }, { id, signal }) {
      const stream = await open(id, signal);
      let sent = cursors[0]?.lines ?? 0;
      const send = () => {
        for (; sent < lines.length; sent += 1) {
          const cursor = { ...container, uid: 'u', run: 0, time: '', lines: sent + 1 };
          stream.write(encodeLogRecord({ cursor }, Buffer.from(`${lines[sent] ?? ''}\n`)));
        }
      };
      followers.add(send);
      send();
      await new Promise((resolve) => stream.resume().once('close', resolve));
      followers.delete(send);
      return { containers: 1 };
    },
  };
  const agent = await startAgent({
    agentId,
    instanceId: 'shell',
    version: '1.2.3',
    handlers,
    log: recordingLog().log,
    random: () => 0.5,
    now: () => new Date(),
    allowedRights: ['read', 'deploy', 'act', 'logs', 'exec'],
    controlPlaneUrl: url.replace('http:', 'ws:'),
    tunnels,
    times: { backoff: { baseMs: 20, capMs: 100, stableMs: 60_000 }, graceMs: 1000, deliveryMs: 500 },
  });
  cleanup.defer(() => agent.stop());
  await plane.waitForAgent(agentId, AbortSignal.timeout(20_000));
  return {
    log(line) {
      lines.push(line);
      for (const send of followers) send();
    },
  };
}

async function talk(stream: Duplex): Promise<void> {
  const say = (text: string) => void writeMessages(stream, { channel: channels.output, bytes: Buffer.from(text) });
  say(prompt);
  let typed = '';
  for await (const { channel, bytes } of messagesOf(stream, [channels.input, channels.control])) {
    if (channel === channels.control) continue;
    const text = bytes.toString();
    typed += text;
    say(text.replaceAll('\r', `\r\n${prompt}`));
    if (typed.includes('exit\r')) break;
  }
  stream.end();
}
