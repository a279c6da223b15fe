import { formatKeyState, type KeyState, type KeyStore, parseKeyState } from '../../../src/agent/key/key-state.ts';

/** A place for keys in memory, which fails and counts as a test wants. */
export interface MemoryKeyStore extends KeyStore {
  readonly state: KeyState | undefined;
  /** Called before each write; throws to make it fail. */
  onWrite: (state: KeyState) => void;
  /** Called after each write; throws to make its answer get lost. */
  onWritten: (state: KeyState) => void;
  onRead: () => void;
}

export function memoryKeyStore(uid = 's1'): MemoryKeyStore {
  let text: string | undefined;
  let version = 0;
  return {
    get state() {
      return text === undefined ? undefined : parseKeyState(text, 'the memory');
    },
    onWrite: () => undefined,
    onWritten: () => undefined,
    onRead: () => undefined,
    async read() {
      await Promise.resolve();
      this.onRead();
      return this.state && { state: this.state, version: String(version), uid };
    },
    async write(state, before) {
      await Promise.resolve();
      this.onWrite(state);
      if (before !== (text === undefined ? undefined : String(version))) return false;
      text = formatKeyState(state);
      version++;
      this.onWritten(state);
      return true;
    },
  };
}
