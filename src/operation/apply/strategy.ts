import type { Cluster } from '../../objects/cluster.ts';
import type { KubeObject } from '../../objects/object.ts';
import type { ApplySettings } from './apply-settings.ts';
import { clientSide } from './client-side.ts';
import { recreating } from './recreate.ts';
import type { ReleaseObject } from './release-object.ts';
import { replacing } from './replace.ts';
import { serverSide } from './server-side.ts';
import { warningReporter } from './warnings.ts';

/** Brings single objects to the cluster. */
export interface ApplyStrategy {
  /** Creates an object that does not exist. */
  create(item: ReleaseObject): Promise<KubeObject>;
  /** Changes an object that exists. */
  update(update: ObjectUpdate): Promise<KubeObject>;
}

export interface ObjectUpdate {
  /** The form that was applied before. Fields that only it has are removed. */
  original: KubeObject;
  item: ReleaseObject;
  /** The object in the cluster. Another one with its name is not changed. */
  live: KubeObject;
}

/** The cluster and the step that a strategy works for. */
export interface ApplyTools {
  cluster: Cluster;
  signal: AbortSignal;
  report: (update: { message: string }) => void;
}

/** The tools of a strategy, with where warnings of the API server go. */
export interface StrategyTools extends ApplyTools {
  onWarning: (text: string) => void;
}

export interface StrategyOptions {
  /**
   * Whether fields that were applied client-side become fields of server-side apply first.
   * Default: false.
   */
  migrate?: boolean;
  /**
   * Whether client-side apply also undoes what others changed in custom resources. Default: false.
   */
  mergesCustomResources?: boolean;
}

/** Returns the strategy that the settings of a revision select. */
export function applyStrategy(
  settings: ApplySettings,
  { cluster, signal, report }: ApplyTools,
  { migrate = false, mergesCustomResources = false }: StrategyOptions = {},
): ApplyStrategy {
  const { method, forceConflicts = false, forceReplace = false, recreate } = settings;
  const onWarning = warningReporter((text) => {
    report({ message: `warning of the API server: ${text}` });
  });
  const tools: StrategyTools = { cluster, signal, report, onWarning };
  const strategy =
    method === 'ssa'
      ? serverSide(tools, { force: forceConflicts, migrate })
      : forceReplace
        ? replacing(tools)
        : clientSide(tools, { mergesCustomResources });
  return recreate === 'immutable' ? recreating(strategy, tools) : strategy;
}
