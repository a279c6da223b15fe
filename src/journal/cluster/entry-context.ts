import type { JournalCluster } from './entry-texts.ts';

/** The place and the owner of all entries of a journal. */
export interface EntryContext {
  cluster: JournalCluster;
  /** The namespace of the Secrets: that of the agent. */
  namespace: string;
  agentId: string;
  /** Id of this process in its term as the leader. */
  instanceId: string;
  /** Id of this process in all its terms. */
  processId: string;
  /** Returns milliseconds since the Unix epoch. */
  now: () => number;
  /** Called for a problem that ends nothing, with a text that has no secret. */
  onProblem: (message: string, fields: object) => void;
  /** Ends all requests. */
  signal: AbortSignal;
}
