import { join } from 'node:path';
import type { KubeCluster } from '../../../src/kube/cluster.ts';
import { helm, runHelm } from '../helm.ts';
import type { Harness } from '../open-harness.ts';
import { runCtl } from '../twins.ts';
import { comparableError, errorIn, printed } from './output.ts';
import { type CommandPacket, packetsOf } from './packets.ts';
import { type Answer, type Reading, readingOf } from './readings.ts';

/** How a command line ended. */
export interface Outcome {
  succeeded: boolean;
  /** Undefined for a packet. */
  stdout?: string;
  /** The message of the error, empty for a success. */
  error: string;
  /** Facts that a reading command line returns. Undefined for `ctl`, of which all output counts. */
  facts?: unknown;
}

/** One of the programs that run a scenario, in a namespace of its own. */
export interface Side {
  name: 'helm' | 'ctl' | 'packets';
  namespace: string;
  cluster: KubeCluster;
  /**
   * Runs a command line. `@NAME` is a chart, and `%NAME` a file with values. Returns undefined if
   * there is no packet for it.
   */
  perform(line: readonly string[]): Promise<Outcome | undefined>;
}

export interface SideOptions {
  harness: Harness;
  namespace: string;
  /** Folder of the charts of all sides. */
  folder: string;
  /** Contents of the files with values, by name. */
  values: Readonly<Record<string, string>>;
}

/** Verbs whose defaults differ from those of helm. */
const safeVerbs = new Set(['install', 'upgrade', 'rollback', 'uninstall']);

/** Returns the side that helm 4 drives. */
export function helmSide({ harness, namespace, folder }: SideOptions): Side {
  return {
    name: 'helm',
    namespace,
    cluster: harness.cluster,
    async perform(line) {
      const words = line.map((word) => word.replace(/^[@%]/, `${join(folder, namespace)}/`));
      const { code, stdout, stderr } = await runHelm('helm4', ...words, '--namespace', namespace);
      const outcome = {
        succeeded: code === 0,
        stdout: printed(stdout, namespace),
        error: errorIn(stderr, namespace),
      };
      const reading = outcome.succeeded ? readingOf(line, namespace) : undefined;
      if (reading === undefined) return outcome;
      const outputs = await Promise.all(
        reading.helmLines.map((args) => helm('helm4', ...args, '--namespace', namespace)),
      );
      return { ...outcome, facts: comparable(reading.inOutput(outputs), namespace) };
    },
  };
}

/** Returns the side that `helm-agent ctl` drives. */
export function ctlSide({ harness, namespace, values }: SideOptions): Side {
  return {
    name: 'ctl',
    namespace,
    cluster: harness.cluster,
    async perform(line) {
      const words = line.map((word) => localWord(word, namespace));
      const defaults = safeVerbs.has(line[0] ?? '') ? ['--helm-defaults'] : [];
      const { code, stdout, stderr } = await runCtl(harness, [...words, ...defaults, '--namespace', namespace], values);
      return { succeeded: code === 0, stdout: printed(stdout, namespace), error: errorIn(stderr, namespace) };
    },
  };
}

/** Returns the side that packets drive. */
export function packetSide({ harness, namespace, values }: SideOptions): Side {
  return {
    name: 'packets',
    namespace,
    cluster: harness.cluster,
    async perform(line) {
      const reading = readingOf(line, namespace);
      if (reading !== undefined) return read(harness, namespace, reading);
      const words = line.map((word) => localWord(word, namespace));
      const packets = packetsOf(words, namespace, values);
      if (packets === undefined) return undefined;
      let outcome: Outcome = { succeeded: true, error: '' };
      for (const packet of packets) if (outcome.succeeded) outcome = await sent(harness, namespace, packet);
      return outcome;
    },
  };
}

async function sent({ plane, agentId }: Harness, namespace: string, packet: CommandPacket): Promise<Outcome> {
  const result = await plane.send(agentId, packet).result;
  // a test that fails is not a failure of the command
  const failure = result.ok ? ('failure' in result ? result.failure : undefined) : result.error;
  const error = failure === undefined ? '' : comparableError(failure.message, namespace);
  return { succeeded: failure === undefined, error };
}

async function read({ plane, agentId }: Harness, namespace: string, reading: Reading): Promise<Outcome> {
  const result = await plane.send(agentId, reading.packet).result;
  if (!result.ok) return { succeeded: false, error: comparableError(result.error.message, namespace) };
  const facts = reading.inAnswer(result as Answer); // the packet says which fields there are
  return { succeeded: true, error: '', facts: comparable(facts, namespace) };
}

/** Returns facts without what differs in each run. */
function comparable(facts: unknown, namespace: string): unknown {
  return JSON.parse(printed(JSON.stringify(facts), namespace)) as unknown;
}

/** Returns a word of a command line with the names that the agent has for charts and files. */
function localWord(word: string, namespace: string): string {
  return word.replace(/^@/, `${namespace}/`).replace(/^%/, '');
}
