// A process with many agents, which fleet.ts starts: the connections of the program, and commands
// that end at once.
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { defaultBackoff } from '../../src/agent/connection/backoff.ts';
import { Channel } from '../../src/agent/connection/channel.ts';
import { Uplink } from '../../src/agent/connection/uplink.ts';
import type { Logger } from '../../src/agent/logger.ts';
import type { ConnectedPeer } from '../../src/agent/router/admission.ts';
import type { AgentRecorder } from '../../src/metrics/agent-metrics.ts';
import { silentRecorder } from '../../src/metrics/metric-table.ts';
import { defaultHeartbeat } from '../../src/net/heartbeat.ts';
import { commandTable } from '../../src/protocol/commands/index.ts';
import { maxPacketBytes } from '../../src/protocol/limits.ts';
import { decodeFrame } from '../../src/protocol/packet.ts';
import { FrameTurns } from '../../src/protocol/session/frame-turns.ts';

/** The agents that the process has to start. */
export interface Fleet {
  /** The control planes, which have equal parts of the agents. */
  urls: string[];
  agents: number;
  /** Number of agents that start in a second. */
  perSecond: number;
}

/** Events since the last report. Times are those of `Date.now()`, with fractions. */
export interface FleetReport {
  /** The time of each greeting of the control plane. */
  greetings: { agentId: string; at: number }[];
  /** The key of each command, and when it arrived. */
  arrivals: { key: string; at: number }[];
  /** The longest time in milliseconds for which the process did nothing for its agents. */
  pause: number;
}

const nothing = () => undefined;
const log: Logger = { debug: nothing, info: nothing, warn: nothing, error: nothing, child: () => log };
const recorder: AgentRecorder = silentRecorder();
const turns = new FrameTurns();
const newReport = (): FleetReport => ({ greetings: [], arrivals: [], pause: 0 });
let report = newReport();
const delays = monitorEventLoopDelay({ resolution: 5 });
delays.enable();

const now = () => performance.timeOrigin + performance.now();
const accepted = JSON.stringify({ durable: false });
const release = { name: 'web', namespace: 'default', version: 1, info: { status: 'deployed' } };

/** Accepts each command, and ends it at once. */
function receive(frame: Buffer, isBinary: boolean, peer: ConnectedPeer, agentId: string): boolean {
  const packet = decodeFrame(frame, isBinary);
  const { key, type } = packet;
  if (peer.take?.(packet) === true) {
    if (type === 'welcome') report.greetings.push({ agentId, at: now() });
    return true;
  }
  if (key === undefined || type === 'unfinished') return true;
  report.arrivals.push({ key, at: now() });
  peer.reply({ kind: 'accepted', key, type, payload: accepted });
  const answer = type === 'install_release' ? { release } : { releases: [] };
  peer.reply({ kind: 'result', key, type, payload: JSON.stringify({ ok: true, ...answer }) });
  return true;
}

function start(agentId: string, url: string): void {
  const channel = new Channel({
    hello: {
      ...{ agentId, instanceId: `${agentId}-1`, version: '1', limits: { maxPacketBytes } },
      capabilities: [...commandTable.types],
    },
    ...{ table: commandTable, log, heartbeat: defaultHeartbeat, turns, maxStatuses: 1000, resumes: true },
    router: { receive: (frame, isBinary, peer) => receive(frame, isBinary, peer, agentId) },
  });
  const uplink = new Uplink({
    ...{ urls: [url], channel, log, recorder, backoff: defaultBackoff, heartbeat: defaultHeartbeat },
    ...{ handshakeTimeoutMs: 10_000, slackMs: 30_000, random: Math.random },
  });
  void uplink.run(new AbortController().signal);
}

process.on('disconnect', () => process.exit());
process.on('message', (message: Fleet | 'report') => {
  if (message === 'report') {
    process.send?.({ ...report, pause: delays.max / 1e6 } satisfies FleetReport);
    delays.reset();
    report = newReport();
    return;
  }
  const { urls, agents, perSecond } = message;
  for (let index = 0; index < agents; index++) {
    const url = urls[index % urls.length] ?? '';
    setTimeout(() => start(`edge-${index}`, url), (index * 1000) / perSecond);
  }
});
