import { wordPositions } from '../cobra/find-command.ts';
import { type Candidate, type Completion, withoutFiles } from '../completion/candidate.ts';
import type { CommandLine } from '../completion/complete.ts';
import type { ProgramDependencies } from '../dependencies.ts';
import { flagValues } from '../pflag/flag-values.ts';
import { parseFlags } from '../pflag/parse-flags.ts';
import { givenSettings } from '../settings.ts';
import { createApiClient } from './api-client.ts';
import { clientOptions, serverSettings } from './control-plane-client.ts';
import { createRolloutClient } from './rollout/rollout-client.ts';

/** Time for the control plane to respond while a user waits for the shell, in milliseconds. */
const timeoutMs = 2000;

/** The most candidates that a shell gets. */
const maxCandidates = 1000;

/**
 * The names that a shell gets. Others could be commands or patterns to it, or change how the line
 * looks.
 */
const safeName = /^\w[\w.@%+=:,/-]{0,252}$/;

const rolloutCommands = ['status', 'pause', 'resume', 'plans', 'approve', 'abort', 'retry', 'delete'];
const agentCommands = ['accept-agent', 'forget-agent', 'revoke-agent'];

/**
 * Completes an agent or a rollout of the control plane that the line or the environment names.
 * Undefined if the word is neither. Offers nothing when the control plane does not respond in time.
 */
export async function completeNames(
  line: CommandLine<ProgramDependencies>,
  context: ProgramDependencies,
): Promise<Completion | undefined> {
  const kind = kindOf(line);
  if (kind === undefined) return undefined;
  try {
    const all = await namesOf(kind, line, context);
    return withoutFiles(all.filter(({ name }) => safeName.test(name)).slice(0, maxCandidates));
  } catch {
    return withoutFiles([]); // a message would disturb the line
  }
}

function kindOf({ found: { path }, args, flags }: CommandLine<ProgramDependencies>): 'agent' | 'rollout' | undefined {
  const words = path.split(' ').slice(1);
  if (words[0] !== 'ctl') return undefined;
  if (args.at(-1) === '--agent' && flags.some(({ name }) => name === 'agent')) return 'agent';
  if (wordPositions(args, flags).length > 0) return undefined;
  const [, group = '', verb = ''] = words;
  if (group === 'rollout' && rolloutCommands.includes(verb)) return 'rollout';
  return agentCommands.includes(group) ? 'agent' : undefined;
}

async function namesOf(
  kind: 'agent' | 'rollout',
  { args, flags }: CommandLine<ProgramDependencies>,
  context: ProgramDependencies,
): Promise<Candidate[]> {
  const complete = args.at(-1) === '--agent' ? args.slice(0, -1) : args;
  const { given } = parseFlags(flags, complete, { ignoreUnknown: true });
  const options = await clientOptions(givenSettings(serverSettings, flagValues(flags, given)), context);
  const signal = AbortSignal.timeout(timeoutMs);
  if (kind === 'agent') {
    const agents = await createApiClient(options).agents(signal);
    return agents.map(({ agentId, connected }) => ({ name: agentId, description: connected ? 'connected' : 'away' }));
  }
  const rollouts = await createRolloutClient(options).list(signal);
  return rollouts.map(({ id, phase }) => ({ name: id, description: /^[a-z]{1,20}$/.test(phase) ? phase : '' }));
}
