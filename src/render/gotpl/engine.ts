import { GoError, type GoFunction } from '../../go/value.ts';
import { Execution } from '../../template/execute/execution.ts';
import type { BoundFunction, FunctionTable } from '../../template/function.ts';
import { TemplateExecError, TemplateLimitError, TemplateParseError } from '../../template/template-error.ts';
import type { Position, TemplateFile } from '../../template/template-file.ts';
import { createParseCache, TemplateSet } from '../../template/template-set.ts';
import { createWeightedCache } from '../../template/weighted-cache.ts';
import type { Engine, EngineRun } from '../engine.ts';
import { RenderError, type RenderPosition } from '../render-error.ts';
import type { RenderSupervisor } from '../render-supervisor.ts';
import { type ScopedTemplate, templateObject } from '../scope/chart-templates.ts';
import { isPartial } from '../scope/template-path.ts';
import { boundCalls, boundFunctions, textName, withoutNoValue } from './bound-functions.ts';
import { executionErrorText, parseErrorText } from './error-text.ts';

/**
 * Number of characters of templates to keep compiled. Compiled, they need about 20 times the
 * memory.
 */
const maxCompiledText = 2 * 1024 * 1024;

/**
 * Creates the engine for Go templates with Helm's functions. Compiled charts are cached by the
 * digest of the chart and the paths of its templates.
 * @param pure functions that do not need the state of a render
 */
export function createGoTemplateEngine(pure: ReadonlyMap<string, GoFunction>): Engine {
  const functions: FunctionTable = new Map<string, GoFunction | BoundFunction>([...pure, ...boundFunctions]);
  const compiled = createWeightedCache<TemplateSet>(maxCompiledText);
  const parsed = createParseCache();

  function setOf(templates: readonly ScopedTemplate[], supervisor: RenderSupervisor | undefined): TemplateSet {
    const key = templates.map(({ chart, path }) => `${chart.digest} ${path}`).join('\n');
    const known = compiled.get(key);
    if (known) return known;
    const set = TemplateSet.parse(filesOf(templates, supervisor), { functions, parsed });
    const characters = templates.reduce((sum, { text }) => sum + text.length, 0);
    compiled.set(key, set, characters);
    return set;
  }

  return {
    render(templates, run) {
      let file = '';
      try {
        const set = setOf(templates, run.supervisor);
        const execution = executionOf(set, run);
        const files = new Map<string, string>();
        for (const template of templates) {
          const { path, scope } = template;
          if (isPartial(path)) continue;
          file = path;
          run.supervisor?.startTemplate(path);
          scope.set('Template', templateObject(template));
          files.set(path, withoutNoValue(execution.execute(path, scope)));
        }
        return files;
      } catch (error) {
        throw helmError(file, error);
      }
    },
  };
}

function* filesOf(
  templates: readonly ScopedTemplate[],
  supervisor: RenderSupervisor | undefined,
): Generator<TemplateFile> {
  for (const { path, text } of templates) {
    supervisor?.startTemplate(path);
    yield { name: path, text };
  }
}

function executionOf(set: TemplateSet, run: EngineRun): Execution {
  const { limits, supervisor, lookups, strict = false, lint = false, notice = () => undefined } = run;
  const execution: Execution = new Execution(set, {
    missingKey: strict ? 'error' : 'zero',
    calls: boundCalls(() => execution, { lookups, lint, notice, includeDepth: limits.includeDepth }),
    limits: {
      steps: limits.steps,
      output: limits.outputBytes,
      text: limits.textBytes,
      elements: limits.listElements,
      textDepth: limits.includeDepth,
    },
    ...(supervisor && { interruption: supervisor.interruption }),
  });
  return execution;
}

/** Returns the error with Helm's text. Other errors than those of Go are returned unchanged. */
function helmError(file: string, error: unknown): unknown {
  if (error instanceof TemplateLimitError) {
    const position = error.position.name === textName ? { file } : toRenderPosition(error.position);
    return new RenderError('render_limit', error.message, { position, cause: error });
  }
  if (error instanceof TemplateParseError) {
    const position = { file: error.templateName, line: error.line };
    return new RenderError('render_failed', parseErrorText(error.templateName, error.message), {
      position,
      cause: error,
    });
  }
  if (!(error instanceof GoError)) return error;
  const chain = chainOf(error);
  const code = chain.some((link) => 'code' in link && link.code === 'render_limit') ? 'render_limit' : 'render_failed';
  if (!(error instanceof TemplateExecError)) return new RenderError(code, error.message, { cause: error });
  const message = executionErrorText(
    file,
    chain.map((link) => link.message),
  );
  return new RenderError(code, message, { position: positionOf(chain), cause: error });
}

function chainOf(error: Error): Error[] {
  const chain: Error[] = [];
  for (let link: unknown = error; link instanceof Error; link = link.cause) chain.push(link);
  return chain;
}

/**
 * Returns the innermost position in a file: of the error, or of the `tpl` call whose text causes
 * it.
 */
function positionOf(chain: readonly Error[]): RenderPosition | undefined {
  const positions = chain.filter((link) => link instanceof TemplateExecError).map(({ position }) => position);
  const innermost = positions.findLast(({ name }) => name !== textName);
  return innermost && toRenderPosition(innermost);
}

function toRenderPosition({ name, line, column }: Position): RenderPosition {
  return { file: name, line, column };
}
