import type { Engine } from './engine.ts';
import { RenderError } from './render-error.ts';
import type { ScopedTemplate } from './scope/chart-templates.ts';

/** Engines that a chart can name in the annotation `helm-agent/engine` of its Chart.yaml. */
const engineNames = ['gotpl', 'nunjucks'] as const;
type EngineName = (typeof engineNames)[number];

const engineAnnotation = 'helm-agent/engine';

/** Returns an engine that renders each chart with the engine that its Chart.yaml names. */
export function engineChoice(engineOf: (name: EngineName) => Engine): Engine {
  return {
    render(templates, run) {
      const files = new Map<string, string>();
      for (const [name, own] of byEngine(templates)) {
        if (name !== 'gotpl' && run.allowNunjucks !== true) throw notAllowed(own[0]);
        for (const [path, text] of engineOf(name).render(own, run)) files.set(path, text);
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
    const message = `chart ${chart.metadata.name} names the template engine ${JSON.stringify(wanted)}; supported engines: ${engineNames.join(', ')}`;
    throw new RenderError('engine_unknown', message, { position: { file: path } });
  });
}

function notAllowed(template: ScopedTemplate | undefined): RenderError {
  const name = template?.chart.metadata.name ?? '';
  return new RenderError(
    'engine_forbidden',
    `chart ${name} uses Nunjucks, which is not allowed; set --allow-nunjucks (in the library: allowNunjucks)`,
  );
}
