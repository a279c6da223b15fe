import { LRUCache } from 'lru-cache';
import { defaultLimits, type FunctionLimits } from '../../functions/limits.ts';
import { byteLength } from '../../go/text.ts';
import { GoError, type GoFunction } from '../../go/value.ts';
import type { Engine } from '../engine.ts';
import { RenderError } from '../render-error.ts';
import { type ScopedTemplate, templateObject } from '../scope/chart-templates.ts';
import { isPartial } from '../scope/template-path.ts';
import { compileTemplate } from './compile/template.ts';
import { languageFunctions, pageFunctions, renderFunctions } from './functions.ts';
import { goCallable } from './go-callable.ts';
import { newState, runTemplate } from './load-template.ts';
import type { Callable, Operand } from './operand.ts';
import { type Position, templateText } from './position.ts';
import { failLimit, type Run } from './run.ts';
import { type CompiledTemplate, frameIn, type Page } from './scope.ts';

/** Number of templates to keep compiled. */
const compiledTemplates = 1024;

/**
 * Creates the engine for charts in Nunjucks: see docs/nunjucks.md. It caches compiled templates.
 * @param functions Sprig's and Helm's functions, besides those of the language and of a render
 * @param limits limits of the language's functions
 */
export function createNunjucksEngine(
  functions: ReadonlyMap<string, GoFunction>,
  limits: FunctionLimits = defaultLimits,
): Engine {
  const compile = cachingCompiler(compiledTemplates);
  const shared = languageFunctions(limits);
  for (const [name, definition] of functions) shared.set(name, goCallable(name, definition));
  return {
    render(templates, engineRun) {
      const { limits: runLimits, supervisor } = engineRun;
      const run: Run = { limits: runLimits, supervisor, steps: 0, nesting: 0 };
      const library = new Map<string, Entry>();
      for (const template of templates) {
        const compiled = guarded(template.path, () => compile(template.path, template.text));
        library.set(template.path, { template, compiled });
      }
      const rendering = { run, library, functions: new Map([...shared, ...renderFunctions(engineRun)]) };
      const rendered = new Map<string, string>();
      for (const entry of library.values()) {
        const { path } = entry.template;
        supervisor?.startTemplate(path);
        if (!isPartial(path))
          rendered.set(
            path,
            guarded(path, () => renderEntry(entry, rendering)),
          );
      }
      return rendered;
    },
  };
}

interface Entry {
  readonly template: ScopedTemplate;
  readonly compiled: CompiledTemplate;
}

interface Rendering {
  readonly run: Run;
  readonly functions: ReadonlyMap<string, Callable>;
  readonly library: ReadonlyMap<string, Entry>;
}

function renderEntry({ template, compiled }: Entry, { run, functions, library }: Rendering): string {
  const { path } = template;
  const globals = new Map<string, Operand>(template.scope);
  globals.set('Template', templateObject(template));
  const page: Page = {
    run,
    globals,
    functions: new Map([...functions, ...pageFunctions(() => page)]),
    load: (name, position) => find(library, name, library.get(position.template.path)?.template ?? template),
  };
  const frame = frameIn(undefined, { topLevel: true });
  const position = startOf(path);
  const text = runTemplate(compiled, { page, state: newState(compiled), frame }, position);
  if (byteLength(text) > run.limits.outputBytes) {
    failLimit(position, `the template writes more than ${run.limits.outputBytes} bytes`);
  }
  return text;
}

function find(library: Rendering['library'], name: string, from: ScopedTemplate): CompiledTemplate | undefined {
  for (const path of pathsOf(name, from.path, from.basePath)) {
    const entry = library.get(path);
    if (entry !== undefined) return entry.compiled;
  }
  return undefined;
}

/** Converts stack overflows, and errors of values that have no position, to errors of the file. */
function guarded<T>(file: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (error instanceof RangeError) {
      const problem = `execution error in (${file}): the template is nested too deeply or writes too much`;
      throw new RenderError('render_limit', problem, { position: { file }, cause: error });
    }
    if (!(error instanceof GoError)) throw error;
    throw new RenderError('render_failed', `execution error in (${file}): ${error.message}`, {
      position: { file },
      cause: error,
    });
  }
}

function startOf(path: string): Position {
  return { template: templateText(path, ''), line: 0, column: 0 };
}

/** Compiles templates, and caches the `size` most recently used ones by path for later renders. */
function cachingCompiler(size: number): (path: string, text: string) => CompiledTemplate {
  const known = new LRUCache<string, { text: string; template: CompiledTemplate }>({ max: size });
  return (path, text) => {
    const found = known.get(path);
    if (found?.text === text) return found.template;
    const template = compileTemplate(path, text);
    known.set(path, { text, template });
    return template;
  };
}

/**
 * Returns the paths that a name in a template can mean, in the order in which they are tried: the
 * name as a path with the chart's name in front; relative to the folder of the file if it begins
 * with `./` or `../`; otherwise relative to the chart's `templates`. None of them leads out of the
 * chart.
 * @param from path of the file that contains the name, with the chart's name in front
 * @param basePath path of the chart's templates, with the chart's name in front
 */
function pathsOf(name: string, from: string, basePath: string): string[] {
  const chart = folderOf(basePath);
  const isRelative = name.startsWith('./') || name.startsWith('../');
  const relative = resolve(`${isRelative ? folderOf(from) : basePath}/${name}`);
  return [name, relative].filter((path) => path.startsWith(`${chart}/`) && resolve(path) === path);
}

function folderOf(path: string): string {
  return path.slice(0, path.lastIndexOf('/'));
}

function resolve(path: string): string {
  const parts: string[] = [];
  for (const part of path.split('/')) {
    if (part === '..') parts.pop();
    else if (part !== '.') parts.push(part);
  }
  return parts.join('/');
}
