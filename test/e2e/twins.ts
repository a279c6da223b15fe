import type { ExecutionContext } from 'ava';
import { testProgram } from '../cli/support/program.ts';
import { type Ended, runHelm } from './helm.ts';
import { compareStates, type Kinds, stateOf } from './namespace-state.ts';
import { freeNamespace } from './namespaces.ts';
import type { Harness } from './open-harness.ts';

/** A release in two namespaces: helm drives one, and the agent the other. */
export interface Twins {
  helmNamespace: string;
  agentNamespace: string;
  /** Runs helm in its namespace. */
  helm(...args: string[]): Promise<Ended>;
  /** Runs `helm-agent ctl` in the agent's namespace. */
  ctl(...args: string[]): Promise<Ended>;
  /** Returns all differences between objects and records of the two namespaces. */
  differences(): Promise<string[]>;
}

const usualKinds: Kinds = [
  ['v1', 'ConfigMap'],
  ['apps/v1', 'Deployment'],
  ['batch/v1', 'Job'],
];

/** Name of the release in both namespaces. */
export const releaseName = 'site';

/** Returns twins that are deleted when the test ends. Compares the usual kinds and `moreKinds`. */
export function newTwins(t: ExecutionContext, harness: Harness, moreKinds: Kinds = []): Twins {
  const helmNamespace = freeNamespace(t, harness.cluster);
  const agentNamespace = freeNamespace(t, harness.cluster);
  return {
    helmNamespace,
    agentNamespace,
    helm: (...args) => runHelm('helm4', ...args, '--namespace', helmNamespace),
    ctl: (...args) => runCtl(harness, [...args, '--namespace', agentNamespace]),
    async differences() {
      const [ofHelm, ofAgent] = await Promise.all(
        [helmNamespace, agentNamespace].map((namespace) =>
          stateOf(harness.cluster, { namespace, kinds: [...usualKinds, ...moreKinds] }),
        ),
      );
      return compareStates(ofHelm, ofAgent);
    },
  };
}

/** Runs `helm-agent ctl` with the agent of the harness. `files` are contents of files, by path. */
export async function runCtl(
  { url, agentId }: Harness,
  args: readonly string[],
  files: Record<string, string> = {},
): Promise<Ended> {
  const { run, stdout, stderr } = testProgram({ env: { HELM_AGENT_SERVER: url }, files });
  const code = await run('ctl', ...args, '--agent', agentId);
  return { stdout: stdout.text, stderr: stderr.text, code };
}
