import type { LoadedChart } from '../../../downloader/index.ts';
import type { CommandAnswers, CommandPayloads, CommandType } from '../../../protocol/commands/index.ts';

/** The commands that have an operation. */
export type ReleaseCommand = Exclude<CommandType, 'cancel_command'>;

/** Performs commands about releases: on a cluster, or through a control plane. */
export interface Releases {
  /** Rejects with the error of the command, whose message is Helm's if Helm has one. */
  perform<Type extends ReleaseCommand>(
    type: Type,
    payload: CommandPayloads[Type],
    options?: PerformOptions,
  ): Promise<CommandAnswers[Type]>;
  /** Ends all connections. */
  close(): Promise<void>;
}

export interface PerformOptions {
  /** The chart of the command. Default: it has none, or an agent downloads it. */
  chart?: LoadedChart | undefined;
  /** Cancels the command. Default: never. */
  signal?: AbortSignal;
}
