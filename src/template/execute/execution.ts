import { quote } from '../../go/strconv.ts';
import { GoError, type Value } from '../../go/value.ts';
import type { CompiledTemplate } from '../compile/compile.ts';
import type { BoundCalls } from '../function.ts';
import type { AnyNode } from '../parse/node.ts';
import { nodeText } from '../parse/node-text.ts';
import { TemplateDepthError, TemplateLimitError } from '../template-error.ts';
import type { TemplateFile } from '../template-file.ts';
import { positionOf } from '../template-file.ts';
import type { TemplateSet } from '../template-set.ts';
import type { ExecutionState, MissingKey, Origin, Slot } from './frame.ts';

export interface ExecutionOptions {
  /** Value of a key that a map does not have. Helm uses `zero`, and `error` in strict mode. */
  readonly missingKey: MissingKey;
  /** Implementations of the bound functions for this execution. */
  readonly calls?: BoundCalls;
  readonly limits?: ExecutionLimits;
  /**
   * Called at every step; a returned reason ends the execution, and follows the name of the
   * template in the error. Default: never interrupts.
   */
  readonly interruption?: Interruption;
}

/**
 * Returns the reason to end an execution, or undefined to continue. `heavy`: the operation just
 * done, or about to be done, takes much longer than a step.
 */
export type Interruption = (heavy: boolean) => string | undefined;

/** Limits of an execution. The defaults are far beyond the needs of any chart. */
interface ExecutionLimits {
  /**
   * Number of actions, iterations and template calls; arguments and results of functions count as
   * well if they are {@link isLarge large}. Default: 10,000,000.
   */
  readonly steps?: number;
  /** Maximum output of a template, in UTF-16 units. Default: 32 Mi. */
  readonly output?: number;
  /** Maximum length of a string that a function returns, in UTF-16 units. Default: 16 Mi. */
  readonly text?: number;
  /** Maximum number of elements of a list that a function returns. Default: 1,000,000. */
  readonly elements?: number;
  /** Maximum nesting of `template` actions. Default: 100,000. */
  readonly depth?: number;
  /** Maximum nesting of {@link Execution.executeText}. Default: 1000. */
  readonly textDepth?: number;
}

const defaultSteps = 10_000_000;
const defaultOutput = 32 * 1024 * 1024;
const defaultText = 16 * 1024 * 1024;
const defaultElements = 1_000_000;
const defaultDepth = 100_000;
const defaultTextDepth = 1000;

/**
 * Amounts of text and of list elements that count as one step, because they take about as long.
 */
const textPerStep = 64;
const elementsPerStep = 4;

/**
 * Depth of nested templates from which a stack overflow is reported as Go's error of endless
 * recursion.
 */
const endlessDepth = 500;

/** Executes templates of a set. It counts steps, and lets bound functions call templates. */
export class Execution implements ExecutionState {
  out = '';
  /** The output of the last execution, also of one that failed. */
  written = '';
  depth = 0;
  readonly missingKey: MissingKey;
  readonly maxDepth: number;
  #templates: TemplateSet;
  #steps = 0;
  #nesting = 0;
  #textDepth = 0;
  lastCallDepth = 0;
  #origin: Origin | undefined;
  #node: AnyNode | undefined;
  readonly #maxSteps: number;
  readonly #maxOutput: number;
  readonly #maxText: number;
  readonly #maxElements: number;
  readonly #maxTextDepth: number;
  readonly #interruption: Interruption | undefined;
  readonly #calls: ReadonlyMap<string, (...args: Slot[]) => Value>;

  constructor(templates: TemplateSet, options: ExecutionOptions) {
    const { missingKey, calls = {}, limits = {}, interruption } = options;
    this.#templates = templates;
    this.missingKey = missingKey;
    this.maxDepth = limits.depth ?? defaultDepth;
    this.#maxSteps = limits.steps ?? defaultSteps;
    this.#maxOutput = limits.output ?? defaultOutput;
    this.#maxText = limits.text ?? defaultText;
    this.#maxElements = limits.elements ?? defaultElements;
    this.#maxTextDepth = limits.textDepth ?? defaultTextDepth;
    this.#interruption = interruption;
    // arguments are checked against the parameters before the call
    this.#calls = new Map(Object.entries(calls) as [string, (...args: Slot[]) => Value][]);
  }

  /**
   * Runs a template and returns its output. Bound functions may call it, for `include`. Throws
   * `TemplateExecError` if the template fails, `GoError` if it does not exist, and
   * `TemplateLimitError` if a limit is exceeded.
   */
  execute(name: string, data: Value): string {
    const template = this.#templates.lookup(name);
    if (template === undefined) {
      throw new GoError(`template: no template ${quote(name)} associated with template ${quote(this.#templates.name)}`);
    }
    return this.#start(template, data);
  }

  /**
   * Parses and runs a text, for `tpl`. Templates that it defines are available only to the text
   * itself and to templates it calls. Throws like {@link execute}, and `TemplateParseError` if the
   * text does not parse.
   */
  executeText(file: TemplateFile, data: Value): string {
    const templates = this.#templates;
    const { set, template } = templates.extend(file);
    if (this.#textDepth >= this.#maxTextDepth) this.#fail(`executes texts nested more than ${this.#maxTextDepth} deep`);
    this.#templates = set;
    this.#textDepth++;
    try {
      return this.#start(template, data);
    } catch (error) {
      if (!(error instanceof TemplateLimitError)) throw error;
      throw new TemplateLimitError(error.templateName, error.position, error.limit, error.position.name === file.name);
    } finally {
      this.#textDepth--;
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
      if (this.#nesting === 0) this.written = this.out;
      this.out = out;
      this.depth = depth;
    }
  }

  #outermost(template: CompiledTemplate, data: Value): string {
    try {
      return this.#run(template, data);
    } catch (error) {
      // V8 reports stack overflows and strings that are too long only as a RangeError
      throw error instanceof RangeError ? this.#tooLarge(template, error) : error;
    }
  }

  #tooLarge(template: CompiledTemplate, error: RangeError): Error {
    const origin = this.#origin ?? template;
    const node = this.#node;
    const position = positionOf(origin.file, node?.pos ?? 0);
    if (node?.kind === 'template' && this.lastCallDepth > endlessDepth) {
      return new TemplateDepthError(origin.name, position, nodeText(node), defaultDepth);
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

  step(origin: Origin, node: AnyNode): void {
    this.#origin = origin;
    this.#node = node;
    this.#steps++;
    if (this.#steps > this.#maxSteps) this.#fail(`takes more than ${this.#maxSteps} steps`);
    if (this.out.length > this.#maxOutput) this.#fail(`writes more than ${this.#maxOutput} characters`);
    if (this.#interruption !== undefined) this.#failIf(this.#interruption(false));
  }

  countLarge(origin: Origin, node: AnyNode, value: Slot): void {
    this.#origin = origin;
    this.#node = node;
    if (typeof value === 'string') {
      if (value.length > this.#maxText) this.#fail(`makes a text of more than ${this.#maxText} characters`);
      this.#steps += value.length / textPerStep;
    } else if (Array.isArray(value)) {
      if (value.length > this.#maxElements) this.#fail(`makes a list of more than ${this.#maxElements} elements`);
      this.#steps += value.length / elementsPerStep;
    }
    if (this.#interruption !== undefined) this.#failIf(this.#interruption(true));
  }

  #failIf(reason: string | undefined): void {
    if (reason !== undefined) this.#fail(reason);
  }

  #fail(problem: string): never {
    const origin = this.#origin;
    if (origin === undefined) throw new Error('nothing is executed');
    throw new TemplateLimitError(origin.name, positionOf(origin.file, this.#node?.pos ?? 0), problem);
  }
}
