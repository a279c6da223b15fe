import type { Sealed } from '../../protocol/sealed.ts';
import { type PublicSealingKey, readSealingKey } from '../../sealing/public-sealing-key.ts';
import { seal } from '../../sealing/sealed-text.ts';
import { SealingError } from '../../sealing/sealing-error.ts';
import { argumentCount } from '../cobra/argument-count.ts';
import type { Command, Invocation } from '../cobra/command.ts';
import type { ProgramDependencies } from '../dependencies.ts';
import { readFlagFile } from '../flag-file.ts';
import { readPassword } from '../password-file.ts';
import { customFlag, textFlag } from '../pflag/flag.ts';
import type { FlagValues } from '../pflag/flag-values.ts';
import { readSettings } from '../settings.ts';
import { requireReleaseName } from '../verb/release-and-chart.ts';
import { answerSchema, resultOf } from './follow.ts';
import { readAs } from './read-as.ts';
import { failureText } from './result-text.ts';
import { sendFlags, sessionFlags } from './send-flags.ts';
import { createSession } from './session.ts';
import { signingSchema, signingSettings } from './signing-settings.ts';

export const sealCommand: Command<ProgramDependencies> = {
  use: 'seal RELEASE',
  long: `Seal values, or credentials for a repository, to the key of an agent, so that the
control plane cannot read them. The result is for one release of one agent; give it to
install, upgrade and plan with --sealed-values or --sealed-credentials.

--sealing-key is the key itself, in a file that "ctl sealing-key" has written, or its
fingerprint. Without it, --agent-key has to prove that the key is that of the agent.`,
  examples: [
    'web -n shop -f db.yaml --sealing-key edge-1.sealing --agent edge-1 > db.sealed',
    'web -n shop --credentials-for ghcr.io/team --username ci --password-file token --agent edge-1',
  ],
  checkArguments: argumentCount('exactly', 1),
  exclusiveFlags: [['values', 'credentials-for']],
  flags: () => [
    customFlag('file', 'values', 'file with values in YAML, - for stdin', { shorthand: 'f' }),
    customFlag('hosts', 'credentials-for', 'hosts, with or without a path, that get the credentials'),
    textFlag('username', 'user name for the repository'),
    customFlag('file', 'password-file', 'file with the password for the repository'),
    customFlag('key', 'sealing-key', 'file with the sealing key of the agent, or its fingerprint SHA256:…'),
    textFlag('namespace', 'namespace of the release (default: default)', { shorthand: 'n' }),
    ...sendFlags(),
  ],
  async run({ args: [releaseName = ''], flags, context }) {
    requireReleaseName(releaseName);
    const agentId = createSession(context).agentOf(sessionFlags(flags));
    const namespace = flags.optionalText('namespace') ?? 'default';
    const { text, purpose } = await givenText(flags, context);
    const key = await sealingKeyOf(agentId, { flags, context });
    const sealed = await seal(text, key, { agentId, namespace, releaseName, purpose });
    context.stdout.write(`${JSON.stringify(sealed)}\n`);
    return 0;
  },
};

type Given = Pick<Invocation<ProgramDependencies>, 'flags' | 'context'>;

async function givenText(
  flags: FlagValues,
  context: ProgramDependencies,
): Promise<{ text: string; purpose: Sealed['purpose'] }> {
  const values = flags.optionalText('values');
  const hosts = flags.optionalText('credentials-for');
  if (values !== undefined) return { text: await readText(context, 'values', values), purpose: 'values' };
  if (hosts === undefined) throw new Error('name what to seal with -f FILE or --credentials-for HOSTS');
  const username = flags.optionalText('username');
  const passwordFile = flags.optionalText('password-file');
  if (username === undefined || passwordFile === undefined) {
    throw new Error('credentials need --username and --password-file');
  }
  const password = await readPassword(context, passwordFile);
  return { text: JSON.stringify({ hosts, username, password }), purpose: 'credentials' };
}

/** Returns the key of an agent. Throws an Error unless something proves that it is that. */
async function sealingKeyOf(agentId: string, { flags, context }: Given): Promise<PublicSealingKey> {
  const pinned = flags.optionalText('sealing-key');
  const isFingerprint = pinned?.startsWith('SHA256:') === true;
  if (pinned !== undefined && !isFingerprint) {
    return keyOf(await readText(context, 'sealing-key', pinned), `--sealing-key: ${pinned}`);
  }
  const session = createSession(context);
  const sent = sessionFlags(flags);
  const { agentKey } = readSettings(signingSchema, signingSettings, sent, context.env);
  if (pinned === undefined && agentKey === undefined) {
    throw new Error(
      'the control plane could show a key of its own: name the key of the agent, or its fingerprint, with --sealing-key, or the key of its results with --agent-key',
    );
  }
  const client = await session.client(sent);
  const { signal } = new AbortController();
  const request = { type: 'get_sealing_key' as const, payload: {}, deliverWithin: false as const };
  const { key } = await client.send(agentId, request, signal);
  const result = await resultOf(client, key, { signal });
  if (!result.ok) throw new Error(failureText(result.error).replace(/^Error: /, '').trim()); // prettier-ignore
  const { sealingKey } = readAs(answerSchema('get_sealing_key', context.table), result, 'result');
  const found = keyOf(sealingKey, 'the key of the agent');
  if (pinned === undefined || found.id === pinned) return found;
  throw new Error(`--sealing-key: the agent has the key ${found.id}, not ${pinned}; ask its owner which one is right`);
}

function keyOf(line: string, subject: string): PublicSealingKey {
  try {
    return readSealingKey(line);
  } catch (error) {
    throw error instanceof SealingError ? new Error(`${subject} ${error.message}`, { cause: error }) : error;
  }
}

async function readText(files: Pick<ProgramDependencies, 'readFile'>, flag: string, path: string): Promise<string> {
  const bytes = await readFlagFile(files, flag, path);
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch (cause) {
    throw new Error(`--${flag}: ${path} is not text in UTF-8`, { cause });
  }
}
