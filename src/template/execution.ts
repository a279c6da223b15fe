import { quote } from '../go/strconv.ts';
import { GoError, type Value } from '../go/value.ts';
import type { MissingKey, Origin, Running, Slot } from './frame.ts';
import type { BoundCalls } from './function.ts';
import type { AnyNode } from './node.ts';
import { nodeText } from './node-text.ts';
import { positionOf, TemplateExecError, TemplateLimitError } from './template-error.ts';
import type { TemplateSet, TemplateFile } from './template-set.ts';
import type { CompiledTemplate } from './compile.ts';

export interface ExecutionOptions {
  /** What a field that a map lacks yields; Helm's is `zero`, in strict mode `error`. */
  readonly missingKey: MissingKey;
  /** What the bound functions do in this execution. */
  readonly calls?: BoundCalls;
  readonly limits?: ExecutionLimits;
}

/** Limits of an execution. What is left out has a default that is far beyond any chart. */
interface ExecutionLimits {
  /** Iterations and calls of templates. */
  readonly steps?: number;
  /** UTF-16 units that a template may write. */
  readonly output?: number;
  /** How deep `template` may nest. */
  readonly depth?: number;
}

const defaultSteps = 10_000_000;
const defaultOutput = 64 * 1024 * 1024;
const defaultDepth = 100_000;

/** From this many nested templates on, running out of stack is taken for Go's error of endless recursion. */
const endlessDepth = 500;

/** Executes templates of a set: it counts what they do, and lets bound functions call templates. */
export class Execution implements Running {
  out = '';
  depth = 0;
  readonly missingKey: MissingKey;
  readonly maxDepth: number;
  #templates: TemplateSet;
  #steps = 0;
  #nesting = 0;
  #deepest = 0;
  #place: { origin: Origin; node: AnyNode } | undefined;
  readonly #maxSteps: number;
  readonly #maxOutput: number;
  readonly #calls: ReadonlyMap<string, (...args: Slot[]) => Value>;

  constructor(templates: TemplateSet, { missingKey, calls = {}, limits = {} }: ExecutionOptions) {
    this.#templates = templates;
    this.missingKey = missingKey;
    this.maxDepth = limits.depth ?? defaultDepth;
    this.#maxSteps = limits.steps ?? defaultSteps;
    this.#maxOutput = limits.output ?? defaultOutput;
    // the arguments are checked against the parameters before the call
    this.#calls = new Map(Object.entries(calls) as [string, (...args: Slot[]) => Value][]);
  }

  /**
   * Runs the template of that name and answers what it wrote. Bound functions may call it, for `include`.
   * Throws `TemplateExecError` where the template fails, `GoError` where there is none, `TemplateLimitError` past a limit.
   */
  execute(name: string, data: Value): string {
    const template = this.#templates.lookup(name);
    if (template === undefined) {
      throw new GoError(`template: no template ${quote(name)} associated with template ${quote(this.#templates.name)}`);
    }
    return this.#start(template, data);
  }

  /**
   * Parses a text and runs it, for `tpl`. What it defines is there for it and for what it calls, not afterwards.
   * Throws as {@link execute}, and `TemplateParseError` where the text is no template.
   */
  executeText(file: TemplateFile, data: Value): string {
    const templates = this.#templates;
    const { set, template } = templates.extend(file);
    this.#templates = set;
    try {
      return this.#start(template, data);
    } finally {
      this.#templates = templates;
    }
  }

  #start(template: CompiledTemplate, data: Value): string {
    return this.#nesting === 0 ? this.#outermost(template, data) : this.#run(template, data);
  }

  #run(template: CompiledTemplate, data: Value): string {
    const { out, depth } = this;
    this.out = '';
    this.depth = 0;
    this.#nesting++;
    try {
      template.run(this, data ?? undefined);
      return this.out;
    } finally {
      this.#nesting--;
      this.out = out;
      this.depth = depth;
    }
  }

  #outermost(template: CompiledTemplate, data: Value): string {
    try {
      return this.#run(template, data);
    } catch (error) {
      // V8 has no other sign of a stack or string that is too large
      throw error instanceof RangeError ? this.#tooLarge(template, error) : error;
    }
  }

  #tooLarge(template: CompiledTemplate, error: RangeError): Error {
    const { origin, node } = this.#place ?? { origin: template, node: undefined };
    const position = positionOf(origin.source, node?.pos ?? 0);
    if (node?.kind === 'template' && this.#deepest > endlessDepth) {
      const detail = `exceeded maximum template depth (${defaultDepth})`;
      return new TemplateExecError(origin.name, position, nodeText(node), detail);
    }
    return new TemplateLimitError(origin.name, position, `needs too much memory: ${error.message}`);
  }

  lookup(name: string): CompiledTemplate | undefined {
    return this.#templates.lookup(name);
  }

  boundCall(name: string): (...args: Slot[]) => Value {
    const call = this.#calls.get(name);
    if (call === undefined) throw new GoError(`function ${quote(name)} is not available here`);
    return call;
  }

  enter(origin: Origin, node: AnyNode): void {
    if (node.kind === 'template') this.#deepest = this.depth;
    this.#place = { origin, node };
  }

  step(): string | undefined {
    this.#steps++;
    if (this.#steps > this.#maxSteps) return `takes more than ${this.#maxSteps} steps`;
    return this.out.length > this.#maxOutput ? `writes more than ${this.#maxOutput} characters` : undefined;
  }
}
