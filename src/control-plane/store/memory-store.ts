import type { AgentSighting, CommandRecord, CommandStore, EventRecord, StoredEntry } from './command-store.ts';

/**
 * Keeps commands in the memory of this process: the last 500 that have ended, and of them those
 * whose packets have 32 MiB together.
 */
export function createMemoryStore(): CommandStore {
  const commands = new Map<string, CommandRecord>();
  const events = new Map<string, EventRecord[]>();
  const agents = new Set<string>();
  const sightings = new Map<string, AgentSighting>();
  const entries = new Map<string, StoredEntry>();
  return {
    retention: { commands: 500, bytes: 32 * 1024 * 1024, milliseconds: Infinity },
    open: () =>
      Promise.resolve({
        commands: [...commands.values()],
        agents: [...agents],
        ...(sightings.size > 0 && { sightings: [...sightings.values()] }),
        ...(entries.size > 0 && { entries: [...entries.values()] }),
      }),
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
      return Promise.resolve();
    },
    events: (key) => Promise.resolve([...(events.get(key) ?? [])]),
    close: () => Promise.resolve(),
  };
}
