// The events of webhooks, from what the store keeps: results of commands, and the audit log.
import type { AuditEntry } from '../audit/audit-entry.ts';
import type { AuditLog } from '../audit/audit-log.ts';
import type { CommandIndex } from '../command-index.ts';
import type { CloudEvent } from './deliver-webhook.ts';
import type { WebhookEvent } from './webhook.ts';

/** The lists that events come from. Each has an order of its own. */
export const feeds = ['results', 'audit'] as const;
export type Feed = (typeof feeds)[number];

/** The feed of each event. */
export const feedOf: Readonly<Record<WebhookEvent, Feed>> = {
  'command.started': 'audit',
  'command.ended': 'results',
  'agent.connected': 'audit',
  'agent.disconnected': 'audit',
  'rollout.changed': 'audit',
  audit: 'audit',
};

/** A place in a feed, with its events. */
export interface FeedItem {
  readonly number: number;
  readonly events: readonly { readonly name: WebhookEvent; readonly event: CloudEvent }[];
}

export interface WebhookEventsOptions {
  commands: Pick<CommandIndex, 'get' | 'results' | 'lastRestore'>;
  audit: Pick<AuditLog, 'after'>;
  /** Id of the control plane, which events name. */
  source: () => string;
}

/** The actions of the audit log that are events of their own. */
const auditEvents: Readonly<Record<string, WebhookEvent>> = {
  'command delivered': 'command.started',
  'agent connected': 'agent.connected',
  'agent disconnected': 'agent.disconnected',
  'rollout changed': 'rollout.changed',
};

/** Returns the items of a feed after a number, also those that follow, until the signal aborts. */
export async function* feedItems(
  feed: Feed,
  after: number,
  { commands, audit, source }: WebhookEventsOptions,
  signal: AbortSignal,
): AsyncGenerator<FeedItem> {
  if (feed === 'results') {
    for await (const { id: number, key, agentId, type, result } of commands.results.after(after, signal)) {
      const { namespace, releaseName, sentBy, end } = commands.get(key)?.record ?? {};
      const error = result.ok ? undefined : result.error.code;
      const data = { key, agentId, type, ok: result.ok, error, namespace, releaseName, sentBy };
      const time = new Date(end?.at ?? 0).toISOString();
      yield { number, events: [eventOf('command.ended', { id: `result_${number}`, subject: key, time, data })] };
    }
    return;
  }
  // entries that were numbered after a backup are not known, and their numbers come again
  const restore = commands.lastRestore === 0 ? '' : `${commands.lastRestore}_`;
  for await (const { number, line } of audit.after(after, 0, signal)) {
    const entry = JSON.parse(line) as AuditEntry; // as the log writes it
    const { action, key, agentId, type, namespace, releaseName, rolloutId, phase, wave, time } = entry;
    const own = auditEvents[action];
    const data = { key, agentId, type, namespace, releaseName, rolloutId, phase, wave };
    yield {
      number,
      events: [
        ...(own
          ? [eventOf(own, { id: `event_${restore}${number}`, subject: key ?? rolloutId ?? agentId, time, data })]
          : []),
        eventOf('audit', { id: `audit_${restore}${number}`, subject: agentId, time, data: entry }),
      ],
    };
  }

  function eventOf(
    name: WebhookEvent,
    { id, ...rest }: Pick<CloudEvent, 'id' | 'subject' | 'time' | 'data'>,
  ): FeedItem['events'][number] {
    return { name, event: cloudEvent(name, { ...rest, id: `${source()}_${id}`, source: source() }) };
  }
}

/** Returns an event of a control plane, whose id is the source. */
export function cloudEvent(
  name: string,
  { source, ...fields }: Pick<CloudEvent, 'id' | 'source' | 'subject' | 'time' | 'data'>,
): CloudEvent {
  return {
    ...{ specversion: '1.0', type: `io.github.helm-agent.${name}`, source: `urn:helm-agent:${source}` },
    ...fields,
    datacontenttype: 'application/json',
  };
}
