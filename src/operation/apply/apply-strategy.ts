import type { ApplySettings } from './apply-settings.ts';
import { clientSide } from './client-side.ts';
import { recreating } from './recreate.ts';
import { replacing } from './replace.ts';
import { serverSide } from './server-side.ts';
import type { ApplyStrategy, ApplyTools, StrategyTools } from './strategy.ts';
import { warningReporter } from './warnings.ts';

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
  applyTools: ApplyTools,
  { migrate = false, mergesCustomResources = false }: StrategyOptions = {},
): ApplyStrategy {
  const { method, forceConflicts = false, forceReplace = false, recreate } = settings;
  const onWarning = warningReporter((text) => {
    applyTools.report({ message: `warning of the API server: ${text}` });
  });
  const tools: StrategyTools = { ...applyTools, onWarning };
  const strategy =
    method === 'ssa'
      ? serverSide(tools, { force: forceConflicts, migrate })
      : forceReplace
        ? replacing(tools)
        : clientSide(tools, { mergesCustomResources });
  const { watching } = applyTools;
  return recreate === 'immutable' && watching ? recreating(strategy, tools, watching) : strategy;
}
