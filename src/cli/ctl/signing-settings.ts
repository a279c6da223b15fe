import * as z from 'zod';
import { openError } from '../../go/file-error.ts';
import { type PublicKey, readPublicKey } from '../../signatures/public-key.ts';
import { SignatureError } from '../../signatures/signature-error.ts';
import { type LocalSigner, pemSigner } from '../../signatures/signer.ts';
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
    description: 'file with the public key of the agent, which must have signed what it has done',
  },
} satisfies Settings<string>;

export const signingSchema = z.object({ signKey: z.string().optional(), agentKey: z.string().optional() });

/** Keys of a user. */
export interface SigningKeys {
  /** Signs commands. Undefined: they are not signed. */
  signer: LocalSigner | undefined;
  /** The key of the agent. Undefined: results need no signature. */
  agentKey: PublicKey | undefined;
}

/** Reads the keys that settings name. Throws `SettingError`, which has nothing of a key. */
export async function readSigningKeys(
  { signKey, agentKey }: { signKey?: string | undefined; agentKey?: string | undefined },
  dependencies: Pick<ProgramDependencies, 'readFile'>,
): Promise<SigningKeys> {
  return {
    signer: await readKey(signingSettings.signKey, signKey, pemSigner, dependencies),
    agentKey: await readKey(signingSettings.agentKey, agentKey, readPublicKey, dependencies),
  };
}

async function readKey<Key>(
  setting: Setting,
  path: string | undefined,
  parse: (text: string) => Key,
  { readFile }: Pick<ProgramDependencies, 'readFile'>,
): Promise<Key | undefined> {
  if (path === undefined) return undefined;
  const bytes = await readFile(path).catch((error: unknown) => {
    throw settingError(setting, `${openError(path, error).message}; name a file that this user can read`);
  });
  try {
    return parse(new TextDecoder().decode(bytes));
  } catch (error) {
    throw error instanceof SignatureError ? settingError(setting, `${path} ${error.message}`) : error;
  }
}
