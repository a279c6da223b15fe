import { type CommandStore, createMemoryStore } from '../../../src/control-plane/index.ts';

/** Returns a store whose writes fail after `fail(true)`, until `fail(false)`. */
export function failingStore(options?: Parameters<typeof createMemoryStore>[0]): {
  store: CommandStore;
  fail: (isFailing: boolean) => void;
} {
  const store = createMemoryStore(options);
  let isFailing = false;
  const write: CommandStore['write'] = (batch) =>
    isFailing ? Promise.reject(new Error('the disk is full')) : store.write(batch);
  return { store: { ...store, write }, fail: (value) => (isFailing = value) };
}

/** Returns a store whose writes take until `release` is called after `hold`. */
export function heldStore(): { store: CommandStore; hold: () => void; release: () => void } {
  const store = createMemoryStore();
  let held: PromiseWithResolvers<undefined> | undefined;
  const write: CommandStore['write'] = async (batch) => {
    await held?.promise;
    await store.write(batch);
  };
  return {
    store: { ...store, write },
    hold: () => (held = Promise.withResolvers()),
    release: () => held?.resolve(undefined),
  };
}
