import type { Duplex } from 'node:stream';
import type { Host } from '../go/host.ts';
import type { AccessReviewer } from '../objects/access.ts';
import type { Cluster } from '../objects/cluster.ts';
import type { ServiceAccount } from '../objects/service-account.ts';
import type { CommandPolicy } from '../policy/command-policy.ts';
import type { LookupScope } from '../policy/policy-rules.ts';
import type { SessionFacts } from '../protocol/streams/command-stream.ts';
import type { Redactor } from '../redaction/redactor.ts';
import type { ReleaseStorage } from '../release/storage/storage.ts';
import type { ValueWarning } from '../render/notice.ts';
import type { ReleaseRenderer } from '../render/release-renderer.ts';
import type { SealingKeys } from '../sealing/sealing-keys.ts';
import type { CorrectionCounts } from './drift/correction-counts.ts';
import type { Progress } from './progress.ts';
import type { Checkpoints } from './state/checkpoints.ts';
import type { StartTimer } from './time-limit.ts';
import type { Tracker } from './tracker/tracker.ts';

/** A change of a release, by its key. The reason is logged. */
export interface Turn {
  release: string;
  reason: string;
  /**
   * Whether it is one of many changes of the command, for each of which the windows of the policy
   * hold. Otherwise, an earlier process may have begun it.
   */
  isOneOfMany: boolean;
  signal: AbortSignal;
}

/**
 * Runs a change of a release after the commands on the release that came before, within the limits
 * of that time. Rejects with the signal's reason if it aborts before, and with `PolicyError` or
 * `SignatureError` if the policy refuses the command by then.
 */
export type TakeTurn = <Result>(
  turn: Turn,
  change: (limits?: Pick<Partial<OperationContext>, 'cluster' | 'policy'>) => Promise<Result>,
) => Promise<Result>;

/** Dependencies of an operation. */
export interface OperationContext {
  cluster: Cluster;
  /**
   * The service account as which `cluster` and everything else here sends requests. Default: the
   * agent itself.
   */
  account?: ServiceAccount | undefined;
  /** The rights of the account, to look at before anything changes. Default: they are unknown. */
  access?: AccessReviewer | undefined;
  /**
   * Limits of the owner of the cluster: all objects are compared with it before one
   * changes. Default: everything.
   */
  policy?: CommandPolicy | undefined;
  /** Objects that templates may look up, unless the policy says it. Default: all. */
  lookup?: LookupScope | undefined;
  /**
   * Watches of the cluster, shared by all operations. Default: watches of this operation alone.
   */
  tracker?: Tracker;
  /** How often objects were put back lately. Default: only what this operation has put back. */
  corrections?: CorrectionCounts;
  storage: ReleaseStorage;
  /**
   * `own`: hooks run and manifests are applied only from revisions that the storage recognizes as
   * written by the agent. Default: `any`.
   */
  trustReleases?: 'own' | 'any';
  renderer: ReleaseRenderer;
  /** Replaces secrets in texts of pods. Default: in this thread. */
  redactor?: Redactor;
  /** Opens sealed values. Default: there is no agent with a key for them. */
  sealing?: Pick<SealingKeys, 'open' | 'publicKey'> | undefined;
  host: Host;
  /** Returns the addresses of a host, for templates. Default: hosts have none. */
  resolveHost?: (name: string, signal: AbortSignal) => Promise<readonly string[]>;
  /** Cancels the operation: the current step ends, and an atomic operation is undone. */
  signal: AbortSignal;
  /** Ends the operation at once, without undoing it, because the process exits. Default: never. */
  abandon?: AbortSignal;
  /**
   * Time that the operation has waited for its turn, which counts towards its time limit, in
   * milliseconds. Default: 0.
   */
  queued?: number;
  /** Timer of the time limit of each operation. Default: the timers of the process. */
  startTimer?: StartTimer;
  /** Timer of the pauses of waits. Default: the timers of the process. */
  startWakeTimer?: StartTimer;
  /** Identifies the operation in its checkpoints, and its request. Default: an empty text. */
  id?: string;
  /** Where the operation's state is saved. Default: nowhere. */
  checkpoints?: Checkpoints;
  /**
   * Opens the stream between the operation and the sender of its command, once. The sender's going
   * away, and the loss of its connection, are errors of the stream. Rejects with the code
   * `unsupported`. Default: there is no sender that could have a stream.
   */
  openStream?: (session?: SessionFacts) => Promise<Duplex>;
  /** Runs a wait for the cluster, during which others may work. Default: at once. */
  whileWaiting?: <Result>(wait: () => Promise<Result>) => Promise<Result>;
  /**
   * Makes a change of a release when it is its turn on the release, for a command that only follows
   * it. To be called inside of {@link whileWaiting}. Default: at once.
   */
  takeTurn?: TakeTurn;
  /** Receives what Helm logs while it merges values, with values. Default: nothing does. */
  onValueWarning?: (warning: ValueWarning) => void;
  /** Called in order. Must not throw. */
  progress: (progress: Progress) => void;
}
