import { functionMap } from '../functions/function-map.ts';
import { defaultLimits, type FunctionLimits } from '../functions/limits.ts';
import type { Host } from '../go/host.ts';
import type { Engine } from './engine.ts';
import { engineChoice } from './engine-choice.ts';
import { createGoTemplateEngine } from './gotpl/engine.ts';
import { createNunjucksEngine } from './nunjucks/engine.ts';

/**
 * Returns an engine that renders each chart with the engine that its Chart.yaml names (default: Go
 * templates). A subchart may use another engine than its parent. Nunjucks must be allowed by the
 * run.
 * @param limits limits of one function call; a run has further limits
 */
export function createEngines(host: Host, limits: FunctionLimits = defaultLimits): Engine {
  const functions = functionMap(host, limits);
  const gotpl = createGoTemplateEngine(functions);
  let nunjucks: Engine | undefined; // few charts use it
  return engineChoice((name) => (name === 'gotpl' ? gotpl : (nunjucks ??= createNunjucksEngine(functions, limits))));
}
