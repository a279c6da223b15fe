import { lookup } from 'node:dns/promises';
import { silentRecorder } from '../metrics/metric-table.ts';
import { defaultFleetHeartbeat } from '../net/heartbeat.ts';
import { isCommandType } from '../protocol/commands/index.ts';
import { isCommandStream } from '../protocol/streams/command-stream.ts';
import { noTracing } from '../tracing/tracing.ts';
import { Guard } from './access/guard.ts';
import { UserTokens } from './access/user-tokens.ts';
import { AgentRegistry } from './agent-registry.ts';
import { auditOf } from './audit/audit-entry.ts';
import { AuditLog } from './audit/audit-log.ts';
import { ConnectionNotes } from './audit/connection-notes.ts';
import { ChartArchives } from './charts/chart-archives.ts';
import { serveChart } from './charts/serve-chart.ts';
import { CommandIndex } from './command-index.ts';
import type { ControlPlaneEvents, ControlPlaneHost, ControlPlaneOptions } from './control-plane-options.ts';
import { Copies } from './copies.ts';
import { Dispatcher } from './dispatcher.ts';
import { createEncryptedStore } from './encryption/encrypted-store.ts';
import { AgentKeys } from './enrolment/agent-keys.ts';
import { type KnownAgent, listKnownAgents } from './known-agent.ts';
import { LaterCommands } from './later-commands.ts';
import { defaultControlPlaneLimits } from './limits.ts';
import { silentLog } from './logger.ts';
import { connectedSince, presence } from './rollouts/presence.ts';
import { auditOfRollout, rolloutSender } from './rollouts/rollout-sender.ts';
import { Rollouts } from './rollouts/rollouts.ts';
import { Recordings } from './sessions/recordings.ts';
import { Sessions } from './sessions/sessions.ts';
import { UserSessions } from './sign-in/user-sessions.ts';
import { createMemoryStore } from './store/memory-store.ts';
import { createSharingStore } from './store/shared-payloads.ts';
import { CommandStreams } from './streams/command-streams.ts';
import { feedItems } from './webhooks/webhook-events.ts';
import { Webhooks } from './webhooks/webhooks.ts';

/** The parts of a control plane, which know each other. */
export type ControlPlaneParts = ReturnType<typeof createParts>;

/** Calls the listeners of an event. */
type Emit = <Name extends keyof ControlPlaneEvents>(name: Name, ...values: ControlPlaneEvents[Name]) => void;

/** Creates the parts of a control plane. Nothing is opened or read yet. */
export function createParts(
  options: ControlPlaneOptions,
  { table, now, monotonic, newKey, randomBytes }: ControlPlaneHost,
  emit: Emit,
) {
  const { heartbeat = defaultFleetHeartbeat, helloTimeoutMs = 10_000, version = '', log = silentLog } = options;
  const { recorder = silentRecorder() } = options;
  const store = createSharingStore(createEncryptedStore(options.store ?? createMemoryStore(), options.encryption));
  const limits = { ...defaultControlPlaneLimits, ...options.limits };
  const commands: CommandIndex = new CommandIndex({
    ...{ table, store, limits, log, now },
    onResult: (command, result) => {
      const { handle, type } = command;
      const outcome = result.ok ? 'ok' : result.error.code;
      audit.add({ action: 'command ended', decision: 'allowed', outcome, ...auditOf(command) });
      const labels = {
        type: isCommandType(type) ? type : 'other',
        result: result.ok ? 'success' : 'failure',
      } as const;
      recorder.count('helm_agent_hub_commands_total', labels);
      emit('result', handle, result);
    },
    cancel: (command, mode) => dispatcher.cancel(command, mode),
  });
  const audit = new AuditLog({
    ...{ store, limits, log, now, monotonic },
    onEntry: (entry) => options.audit && process.nextTick(options.audit, entry), // its errors break nothing
    write: (change) => commands.write(change),
  });
  const charts = new ChartArchives({
    folder: options.chartFolder,
    needed: () => new Set([...commands.allOpen().flatMap(({ record }) => record.chart ?? []), ...rollouts.charts()]),
    newId: newKey,
    maxBytes: limits.uploadBytes,
    reservedBytes: limits.reservedBytes,
  });
  const streams = new CommandStreams({ commands, table });
  const recordings = new Recordings({
    ...{ folder: options.recordingFolder, limits, log, now, monotonic },
    audit: (fields) => audit.add(fields),
  });
  const attended = new Sessions({
    ...{ table, recordings, record: options.recordSessions ?? 'off', requireSecond: options.requireSecond ?? 'off' },
    audit: (fields) => audit.add(fields),
  });
  const copies = new Copies({
    ...{ takeoverMs: options.takeoverMs, max: limits.knownAgents, now },
    onRefused(agentId) {
      audit.addRefusal({ action: 'agent refused', agentId, outcome: 'copied' });
      emit('copy', agentId);
    },
  });
  const keys = new AgentKeys({
    ...{ now, monotonic, randomBytes, log, maxAgents: limits.knownAgents },
    keep: (entry) => commands.keep(entry),
    stored: () => commands.stored(),
    storedLater: () => commands.storedLater(),
    onCopy: (agentId) => copies.refused(agentId),
    onForgotten: (agentId) => copies.forget(agentId),
    onEnrolled: (agentId, action) => audit.add({ action, agentId, decision: 'allowed', outcome: 'ok' }),
    onRefused: (agentId) => audit.addRefusal({ action: 'agent refused', agentId, outcome: 'unauthenticated' }),
  });
  const connectionNotes = new ConnectionNotes((agentId, isConnected) => {
    const action = isConnected ? 'agent connected' : 'agent disconnected';
    audit.add({ action, agentId, decision: 'allowed', outcome: 'ok' });
  });
  const source = () => keys.audience;
  const { webhookHosts: allowedHosts = [] } = options;
  const webhooks = new Webhooks({
    ...{ allowedHosts, source, log, now, newId: newKey, randomBytes },
    items: (feed, after, signal) => feedItems(feed, after, { commands, audit, source }, signal),
    newest: (feed) => (feed === 'results' ? commands.results.newest : audit.newest),
    async deliver(delivery, signal) {
      const { deliverWebhook } = await import('./webhooks/deliver-webhook.ts');
      const resolve = (host: string) => lookup(host, { all: true });
      return await deliverWebhook(delivery, { allowedHosts, resolve, now }, signal);
    },
    audit: (fields) => audit.add(fields),
    keep: (entry) => commands.keep(entry),
    stored: () => commands.stored(),
  });
  const laterCommands = new LaterCommands({ commands, audit, log, now, maxAgents: limits.knownAgents });
  const agents: AgentRegistry = new AgentRegistry({
    ...{ commands, laterCommands, limits, heartbeat, helloTimeoutMs, log, now, newEpoch: newKey, version },
    whenStored: (stored) => commands.whenStored(stored),
    deliver: (command) => dispatcher.deliver(command),
    hasKey: (agentId) => keys.has(agentId),
    copies,
    hasStream: (command) => streams.kindOf(command) !== undefined,
    acceptStream(agentId, header, stream) {
      if (isCommandStream(header)) {
        streams.accept(agentId, header, stream);
        return;
      }
      const isNeeded = (digest: string) => commands.openOf(agentId).some(({ record }) => record.chart === digest);
      serveChart(header, stream, { charts, isNeeded });
    },
    onDelivered(seconds, command) {
      recorder.observe('helm_agent_hub_command_delivery_seconds', {}, seconds);
      audit.add({ action: 'command delivered', decision: 'allowed', outcome: 'ok', ...auditOf(command) });
    },
    onConnect: (agent) => {
      recorder.count('helm_agent_hub_connections_total', {});
      connectionNotes.changed(agent.agentId, true);
      rollouts.onPresence(agent.agentId);
      emit('connect', agent);
    },
    onDisconnect: (agent) => {
      connectionNotes.changed(agent.agentId, false);
      rollouts.onPresence(agent.agentId);
      emit('disconnect', agent);
    },
  });
  const registered = () => options.registeredAgents?.() ?? [];
  const isRegistered = (agentId: string) => keys.has(agentId) || [...registered()].includes(agentId);
  const tokens = new UserTokens({
    ...{ table, now, monotonic, randomBytes },
    keep: (entry) => commands.keep(entry),
    stored: () => commands.stored(),
    onExpired: ({ id, name: user }) =>
      audit.add({ action: 'token expired', user, tokenId: id, decision: 'allowed', outcome: 'ok' }),
  });
  const { signIn: file } = options;
  const sessions =
    file &&
    new UserSessions({
      ...{ settings: file.settings, now, monotonic, randomBytes },
      keep: (entry) => commands.keep(entry),
      stored: () => commands.stored(),
      onEnded: ({ id, name: user }, reason) =>
        audit.add({ action: `session ended: ${reason}`, user, sessionId: id, decision: 'allowed', outcome: 'ok' }),
    });
  const labelsOf = (agentId: string) => {
    const { states = [], labels = {} } = keys.stateOf(agentId) ?? {};
    return states.length > 0 ? labels : undefined;
  };
  const isTaken = (agentId: string) =>
    labelsOf(agentId) !== undefined ||
    isRegistered(agentId) ||
    commands.knowsAgent(agentId) ||
    agents.get(agentId) !== undefined ||
    commands.hasCommandFor(agentId);
  const guard = new Guard({
    ...{ table, authorize: options.authorize, labelsOf, isTaken },
    commandOf: (key) => commands.get(key)?.record,
  });
  const dispatcher: Dispatcher = new Dispatcher({
    ...{ agents, commands, charts, guard, isRegistered, table, log, now, newKey },
    tracing: options.tracing ?? noTracing,
  });
  const rollouts: Rollouts = new Rollouts({
    ...{ table, guard, labelsOf, newKey, log, now: () => now().getTime() },
    agentIds: () => [...registered(), ...keys.knownIds(), ...commands.knownAgents().keys()],
    presenceOf: presence({ agents, commands, now }),
    connectedSince: connectedSince({ agents }),
    keep: (entry) => commands.keep(entry),
    stored: () => commands.stored(),
    storedLater: () => commands.storedLater(),
    requireStore: () => commands.requireAvailable(),
    send: rolloutSender({ dispatcher, audit }),
    hasWebhook: (id) => webhooks.has(id),
    askWebhook: async (webhookId, { id, ...data }, signal) =>
      await webhooks.ask(webhookId, { id, subject: data.rolloutId, data }, signal),
    onStatus: (rollout) => audit.add(auditOfRollout(rollout)),
  });
  const knownAgents = (): KnownAgent[] => listKnownAgents({ agents, commands, registered, keys, copies, now });
  return {
    ...{ log, now, recorder, limits, heartbeat, helloTimeoutMs, store },
    ...{ commands, laterCommands, audit, charts, streams, recordings, attended },
    ...{ keys, copies, connectionNotes, webhooks, agents },
    ...{ tokens, sessions, guard, dispatcher, rollouts, knownAgents },
  };
}
