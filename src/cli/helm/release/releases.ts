import type { CommandAnswers, CommandParameters } from '../../../protocol/commands/index.ts';
import type { LocatedChart } from '../../locate-chart.ts';

/** The commands about releases that helm has. */
export type ReleaseCommand =
  | 'install_release'
  | 'upgrade_release'
  | 'rollback_release'
  | 'uninstall_release'
  | 'test_release'
  | 'list_releases'
  | 'get_release'
  | 'release_history';

/** Performs commands about releases: on a cluster, or through a control plane. */
export interface Releases {
  /** Rejects with the error of the command, whose message is Helm's if Helm has one. */
  perform<Type extends ReleaseCommand>(
    type: Type,
    payload: CommandParameters[Type],
    options?: PerformOptions,
  ): Promise<CommandAnswers[Type]>;
  /** Ends all connections. */
  close(): Promise<void>;
}

export interface PerformOptions {
  /** The chart of the command, if it has one. */
  chart?: LocatedChart;
  /** Cancels the command. Default: never. */
  signal?: AbortSignal;
}
