import type { TimeRange } from '../objects/cluster.ts';
import type { CommandScope } from '../rights/command-selector.ts';
import type { SentCommandPacket } from '../signatures/required-signatures.ts';
import type { ChartReference } from './chart-reference.ts';

/** The commands that plans perform. */
export type PlannedCommand = 'install_release' | 'upgrade_release' | 'rollback_release' | 'uninstall_release';

/** The parts of a command by which a policy decides. */
export interface PolicyScope extends CommandScope {
  /** Whether it changes something. */
  changes: boolean;
  /** Undefined for a command without a chart. */
  chart: ChartReference | undefined;
  /** The fields of the command. */
  payload: object;
  /**
   * The packet, whose signatures are verified. `unsent` for a command that is only tried, which
   * counts as signed. Default: the command is not signed.
   */
  packet?: SentCommandPacket | 'unsent';
}

/**
 * A decision that is made when the command begins, or for one that has begun. `isAccepted`: a
 * command that has begun makes another change, and its signature may have expired since.
 */
export type DecisionTime = { begins: Date; isAccepted?: boolean } | 'continued';

/** Returns the time of the cluster. */
export type ClusterTime = () => TimeRange;
