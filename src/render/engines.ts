import { functionMap } from '../functions/function-map.ts';
import { defaultLimits, type FunctionLimits } from '../functions/limits.ts';
import type { Host } from '../go/host.ts';
import type { ScopedTemplate } from './scope/chart-templates.ts';
import type { Engine } from './engine.ts';
import { createGoTemplateEngine } from './gotpl/engine.ts';
import { createNunjucksEngine } from './nunjucks/engine.ts';
import { RenderError } from './render-error.ts';

/** The engines that a chart can name in the annotation `helm-agent/engine` of its Chart.yaml. */
const engineNames = ['gotpl', 'nunjucks'] as const;
type EngineName = (typeof engineNames)[number];

const engineAnnotation = 'helm-agent/engine';

/**
 * Renders each chart with the engine that it names, Go's templates where it names none; a subchart may use another than its parent.
 * Engines other than Go's templates must be allowed by the run.
 * @param limits what one call of a function may make; further limits are those of a run
 */
export function createEngines(host: Host, limits: FunctionLimits = defaultLimits): Engine {
  const functions = functionMap(host, limits);
  const engines: Record<EngineName, Engine> = {
    gotpl: createGoTemplateEngine(functions),
    nunjucks: createNunjucksEngine(functions, limits),
  };
  return {
    render(templates, run) {
      const files = new Map<string, string>();
      for (const [name, own] of byEngine(templates)) {
        if (name !== 'gotpl' && run.allowNunjucks !== true) throw notAllowed(own[0]);
        for (const [path, text] of engines[name].render(own, run)) files.set(path, text);
      }
      return files;
    },
  };
}

function byEngine(templates: readonly ScopedTemplate[]): Map<EngineName, ScopedTemplate[]> {
  return Map.groupBy(templates, ({ chart, path }) => {
    const wanted = chart.metadata.annotations?.[engineAnnotation] ?? 'gotpl';
    const name = engineNames.find((known) => known === wanted);
    if (name !== undefined) return name;
    const message = `chart ${chart.metadata.name} names the template engine ${JSON.stringify(wanted)}; known are ${engineNames.join(' and ')}`;
    throw new RenderError('engine_unknown', message, { position: { file: path } });
  });
}

function notAllowed(template: ScopedTemplate | undefined): RenderError {
  const name = template?.chart.metadata.name ?? '';
  return new RenderError(
    'engine_forbidden',
    `chart ${name} is written for Nunjucks, which is not allowed here; allow it with --allow-nunjucks, in a program with allowNunjucks`,
  );
}
