import { createHash } from 'node:crypto';
import { formatKeyState, type KeyStore, parseKeyState } from '../agent/key/key-state.ts';
import { versionedSecret, type VersionedSecretOptions } from './versioned-secret.ts';

/** Keeps the keys of an agent in a Secret of its namespace. */
export function keySecret(options: Omit<VersionedSecretOptions, 'name' | 'type'>): KeyStore {
  const name = `helm-agent.key.${createHash('sha256').update(options.agentId).digest('hex').slice(0, 40)}`;
  const secret = versionedSecret({ ...options, name, type: 'helm-agent/agent-key' });
  return {
    async read() {
      const found = await secret.read();
      if (found === undefined) return undefined;
      const { text, ...rest } = found;
      return { ...rest, state: parseKeyState(text, `the Secret ${options.namespace}/${name}`) };
    },
    write: (state, version) => secret.write(formatKeyState(state), version),
  };
}
