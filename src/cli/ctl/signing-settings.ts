import * as z from 'zod';
import { type PublicKey, readPublicKey } from '../../signatures/public-key.ts';
import { SignatureError } from '../../signatures/signature-error.ts';
import { type LocalSigner, pemSigner } from '../../signatures/signer.ts';
import { readSettingFile } from '../check-settings.ts';
import type { ProgramDependencies } from '../dependencies.ts';
import { type Setting, settingError, type Settings } from '../settings.ts';

export const signingSettings = {
  signKey: {
    flag: 'sign-key',
    value: 'file',
    variable: 'HELM_AGENT_SIGN_KEY',
    description: 'file with the private Ed25519 key with which commands are signed',
  },
  agentKey: {
    flag: 'agent-key',
    value: 'file',
    variable: 'HELM_AGENT_AGENT_KEY',
    description:
      'file with the public key of the agent, which must have signed what it has done, or with lines AGENT KEY',
  },
} satisfies Settings<string>;

export const signingSchema = z.object({ signKey: z.string().optional(), agentKey: z.string().optional() });

/**
 * Returns the keys of an agent, or undefined if none is known. For an agent that is undefined, only
 * a file with one key for all has any.
 */
type AgentKeys = (agentId: string | undefined) => readonly PublicKey[] | undefined;

/** Keys of a user. */
export interface SigningKeys {
  /** Signs commands. Undefined: they are not signed. */
  signer: LocalSigner | undefined;
  /** The keys of agents. Undefined: results need no signature. */
  agentKeys: AgentKeys | undefined;
}

/** Reads the keys that settings name. Throws `SettingError`, which has nothing of a key. */
export async function readSigningKeys(
  { signKey, agentKey }: { signKey?: string | undefined; agentKey?: string | undefined },
  dependencies: Pick<ProgramDependencies, 'readFile'>,
): Promise<SigningKeys> {
  return {
    signer: await readKey(signingSettings.signKey, signKey, pemSigner, dependencies),
    agentKeys: await readKey(signingSettings.agentKey, agentKey, agentKeysOf, dependencies),
  };
}

async function readKey<Key>(
  setting: Setting,
  path: string | undefined,
  parse: (text: string) => Key,
  files: Pick<ProgramDependencies, 'readFile'>,
): Promise<Key | undefined> {
  if (path === undefined) return undefined;
  const bytes = await readSettingFile(setting, path, files);
  try {
    return parse(new TextDecoder().decode(bytes));
  } catch (error) {
    throw error instanceof SignatureError ? settingError(setting, `${path} ${error.message}`) : error;
  }
}

/** Number of lines of a file with keys of agents, and the characters of all of them. */
const maxAgentKeys = 10_000;
const maxAgentKeysLength = 8 * 1024 * 1024;

/**
 * Reads a key, or lines with an agent and a key each: `edge-1 ssh-ed25519 AAAA…`. An agent may have
 * several keys, so that one can be replaced. Throws `SignatureError`.
 */
function agentKeysOf(text: string): AgentKeys {
  const lines = text.length > maxAgentKeysLength ? [] : text.split('\n').map((line) => line.trim());
  const given = lines.filter((line) => line !== '' && !line.startsWith('#'));
  if (!given.some((line) => /^\S+[ \t]+ssh-ed25519[ \t]/.test(line))) {
    const keys = [readPublicKey(text)];
    return () => keys;
  }
  if (given.length > maxAgentKeys) throw wrong(`has more than ${maxAgentKeys} keys`);
  const all = new Map<string, PublicKey[]>();
  for (const line of given) {
    const [, agentId = '', rest = ''] = /^(\S+)[ \t](.*)$/.exec(line) ?? [];
    const key = rest.trimStart();
    all.set(agentId, [...(all.get(agentId) ?? []), readLine(agentId, key)]);
  }
  return (agentId) => (agentId === undefined ? undefined : all.get(agentId));
}

function readLine(agentId: string, key: string): PublicKey {
  try {
    return readPublicKey(key);
  } catch (error) {
    if (!(error instanceof SignatureError)) throw error;
    throw wrong(`has a line for ${JSON.stringify(agentId.slice(0, 253))} whose key ${error.message}`);
  }
}

function wrong(problem: string): SignatureError {
  return new SignatureError('signature_invalid', problem);
}
