import type { CommandStore } from './command-store.ts';

/** The parts of a store that differ in a layer. */
type Layer = Pick<CommandStore, 'open' | 'write'> & Partial<Pick<CommandStore, 'events'>>;

/** Returns a store that reads and writes by a layer, and is otherwise the store below it. */
export function layeredStore(store: CommandStore, layer: Layer): CommandStore {
  return {
    retention: store.retention,
    ...(store.lost && { lost: store.lost }),
    isReachable: () => store.isReachable?.() !== false,
    events: (key) => store.events(key),
    audit: (page) => store.audit(page),
    ...(store.backup && { backup: store.backup.bind(store) }),
    close: () => store.close(),
    ...layer,
  };
}
