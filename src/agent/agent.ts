import { createMemoryJournal } from '../journal/memory.ts';
import { commandTypes } from '../protocol/commands.ts';
import { defaultHeartbeat, type HeartbeatTimes } from '../protocol/heartbeat.ts';
import { MAX_PACKET_BYTES } from '../protocol/limits.ts';
import type { Hello } from '../protocol/messages.ts';
import { defaultBackoff, type BackoffTimes } from './connection/backoff.ts';
import { Channel } from './connection/channel.ts';
import type { CommandHandlers } from './commands/handler.ts';
import { listen } from './connection/listener.ts';
import type { ListenAddress } from './connection/listen-address.ts';
import type { Logger } from './logger.ts';
import { createRouter } from './commands/router.ts';
import type { TokenSource } from './connection/token-file.ts';
import { keepUplink } from './connection/uplink.ts';

export interface AgentOptions {
  agentId: string;
  /** Another one for each process. */
  instanceId: string;
  version: string;
  handlers: CommandHandlers;
  log: Logger;
  /** Numbers from 0 up to 1. */
  random: () => number;
  /** The token for the control plane, and the one that clients must bear. */
  readToken?: TokenSource | undefined;
  /** The WebSocket URL to dial. */
  controlPlaneUrl?: string | undefined;
  /** Where to serve clients. */
  listen?: ListenAddress | undefined;
  /** Allows to listen without a token where others can reach the port. */
  listenInsecure?: boolean;
  times?: Partial<AgentTimes>;
}

interface AgentTimes {
  heartbeat: HeartbeatTimes;
  backoff: BackoffTimes;
  handshakeTimeoutMs: number;
  /** How long operations may take to end once the agent stops. */
  graceMs: number;
  /** How long the last replies may take to arrive. */
  deliveryMs: number;
}

const defaultTimes: AgentTimes = {
  heartbeat: defaultHeartbeat,
  backoff: defaultBackoff,
  handshakeTimeoutMs: 10_000,
  graceMs: 20_000,
  deliveryMs: 3000,
};

const MAX_WAITING_STATUSES = 1000;

export interface Agent {
  /** The port that clients reach; undefined where the agent does not listen. */
  readonly port: number | undefined;
  /** Whether commands can arrive: the control plane is connected, or the agent only listens. */
  isReady(): boolean;
  /** Refuses new commands, cancels those that run, sends all results and closes the connections. */
  stop(): Promise<void>;
}

/** Starts to serve commands. Fails where the agent is to listen and cannot. */
export async function startAgent(options: AgentOptions): Promise<Agent> {
  const { log, readToken, controlPlaneUrl } = options;
  const times = { ...defaultTimes, ...options.times };
  const router = createRouter({ handlers: options.handlers, journal: createMemoryJournal(), log });
  const channelOptions = {
    hello: helloOf(options),
    router,
    log,
    heartbeat: times.heartbeat,
    maxStatuses: MAX_WAITING_STATUSES,
  };
  const uplink = controlPlaneUrl === undefined ? undefined : new Channel(channelOptions);
  const isReady = () => uplink?.isConnected ?? true;
  const listener =
    options.listen &&
    (await listen({
      address: options.listen,
      insecure: options.listenInsecure ?? false,
      readToken,
      channel: channelOptions,
      isReady,
    }));

  const stopping = new AbortController();
  const dialling =
    uplink && controlPlaneUrl !== undefined
      ? keepUplink({ ...options, ...times, url: controlPlaneUrl, channel: uplink, log, readToken }, stopping.signal)
      : Promise.resolve();

  return {
    port: listener?.port,
    isReady,
    async stop() {
      listener?.stopListening();
      await router.close(times.graceMs);
      await Promise.all([uplink?.delivered(times.deliveryMs), listener?.close(times.deliveryMs)]);
      stopping.abort();
      await uplink?.hangUp();
      await dialling;
    },
  };
}

function helloOf({ agentId, instanceId, version }: AgentOptions): Hello {
  return { agentId, instanceId, version, capabilities: commandTypes, limits: { maxPacketBytes: MAX_PACKET_BYTES } };
}
