import type {
  AgentSighting,
  AuditRecord,
  CommandRecord,
  CommandStore,
  EventRecord,
  OldAudit,
  StoredEntry,
} from './command-store.ts';
import { type Retention, retentionOf, type RetentionOptions } from './retention.ts';

/** Number of entries of the audit log that are kept at least. */
const maxAuditEntries = 5000;

const memoryRetention: Retention = { commands: 500, bytes: 32 * 1024 * 1024, milliseconds: Infinity };

/**
 * Keeps commands in the memory of this process. Default of `retention`: the last 500 that have
 * ended, and of them those whose packets have 32 MiB together. Of the audit log, it has the last
 * 5,000 entries.
 */
export function createMemoryStore({ retention }: { retention?: RetentionOptions | undefined } = {}): CommandStore {
  const commands = new Map<string, CommandRecord>();
  const events = new Map<string, EventRecord[]>();
  const agents = new Set<string>();
  const sightings = new Map<string, AgentSighting>();
  const entries = new Map<string, StoredEntry>();
  let audit: AuditRecord[] = [];
  return {
    retention: retentionOf(retention, memoryRetention),
    open() {
      const newest = audit.at(-1);
      return Promise.resolve({
        commands: [...commands.values()],
        agents: [...agents],
        ...(sightings.size > 0 && { sightings: [...sightings.values()] }),
        ...(entries.size > 0 && { entries: [...entries.values()] }),
        ...(newest && { lastAudit: newest }),
      });
    },
    write(batch) {
      for (const record of batch.commands) commands.set(record.key, record);
      for (const { key, event, bytes } of batch.events) {
        const list = events.get(key) ?? [];
        list.push({ event, bytes });
        events.set(key, list);
      }
      for (const { key, first } of batch.trims) {
        const list = events.get(key) ?? [];
        list.splice(
          0,
          list.findIndex(({ event }) => event.id >= first),
        );
      }
      for (const key of batch.forgotten) {
        commands.delete(key);
        events.delete(key);
      }
      for (const agentId of batch.agents) agents.add(agentId);
      for (const sighting of batch.sightings ?? []) sightings.set(sighting.agentId, sighting);
      for (const agentId of batch.forgottenAgents) {
        agents.delete(agentId);
        sightings.delete(agentId);
      }
      for (const entry of batch.entries ?? []) {
        const name = `${entry.collection} ${entry.id}`;
        if (entry.text === undefined) entries.delete(name);
        else entries.set(name, entry);
      }
      audit.push(...(batch.audit ?? []));
      if (audit.length > 2 * maxAuditEntries) audit = audit.slice(-maxAuditEntries);
      if (batch.oldAudit) audit = withoutOld(audit, batch.oldAudit);
      return Promise.resolve();
    },
    audit: ({ after, since, max }) =>
      Promise.resolve(audit.filter(({ number, at }) => number > after && at >= since).slice(0, max)),
    events: (key) => Promise.resolve([...(events.get(key) ?? [])]),
    close: () => Promise.resolve(),
  };
}

function withoutOld(audit: readonly AuditRecord[], { upTo, before }: OldAudit): AuditRecord[] {
  const left = audit.filter(({ number }) => number > upTo);
  const first = left.findIndex(({ at }) => at >= before);
  return first === -1 ? left : left.slice(first);
}
