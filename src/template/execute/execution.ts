import { quote } from '../../go/strconv.ts';
import { GoError, type Value } from '../../go/value.ts';
import type { MissingKey, Origin, Running, Slot } from './frame.ts';
import type { BoundCalls } from '../function.ts';
import type { AnyNode } from '../parse/node.ts';
import { nodeText } from '../parse/node-text.ts';
import { positionOf, TemplateDepthError, TemplateLimitError } from '../template-error.ts';
import type { TemplateSet, TemplateFile } from '../template-set.ts';
import type { CompiledTemplate } from '../compile/compile.ts';

export interface ExecutionOptions {
  /** What a field that a map lacks yields; Helm's is `zero`, in strict mode `error`. */
  readonly missingKey: MissingKey;
  /** What the bound functions do in this execution. */
  readonly calls?: BoundCalls;
  readonly limits?: ExecutionLimits;
  /** Asked at every step whether something outside wants the execution to end, and why; what it answers follows the name of the template. Default: never. */
  readonly interruption?: Interruption;
}

/** Answers why an execution has to end; undefined where it need not. `heavy` says that what was just done, or is about to be, is far more than a step. */
export type Interruption = (heavy: boolean) => string | undefined;

/** Limits of an execution. What is left out has a default that is far beyond any chart. */
interface ExecutionLimits {
  /** Actions, iterations and calls of templates; what functions take and make counts as well where it is {@link isLarge large}. */
  readonly steps?: number;
  /** UTF-16 units that a template may write. */
  readonly output?: number;
  /** UTF-16 units of a text that a function makes. */
  readonly text?: number;
  /** Elements of a list that a function makes. */
  readonly elements?: number;
  /** How deep `template` may nest. */
  readonly depth?: number;
  /** How deep texts may be executed within others. */
  readonly texts?: number;
}

const defaultSteps = 10_000_000;
const defaultOutput = 32 * 1024 * 1024;
const defaultText = 16 * 1024 * 1024;
const defaultElements = 1_000_000;
const defaultDepth = 100_000;
const defaultTexts = 1000;

/** So much of a text, or of a list, counts as a step: it takes about the time of one. */
const textPerStep = 64;
const elementsPerStep = 4;

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
  #texts = 0;
  deepest = 0;
  #origin: Origin | undefined;
  #node: AnyNode | undefined;
  readonly #maxSteps: number;
  readonly #maxOutput: number;
  readonly #maxText: number;
  readonly #maxElements: number;
  readonly #maxTexts: number;
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
    this.#maxTexts = limits.texts ?? defaultTexts;
    this.#interruption = interruption;
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
    if (this.#texts >= this.#maxTexts) this.#fail(`executes texts nested more than ${this.#maxTexts} deep`);
    this.#templates = set;
    this.#texts++;
    try {
      return this.#start(template, data);
    } catch (error) {
      if (!(error instanceof TemplateLimitError)) throw error;
      throw new TemplateLimitError(error.templateName, error.position, error.limit, error.position.name === file.name);
    } finally {
      this.#texts--;
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
    const origin = this.#origin ?? template;
    const node = this.#node;
    const position = positionOf(origin.source, node?.pos ?? 0);
    if (node?.kind === 'template' && this.deepest > endlessDepth) {
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
    if (this.#interruption !== undefined) this.#mayGoOn(this.#interruption(false));
  }

  weigh(origin: Origin, node: AnyNode, value: Slot): void {
    this.#origin = origin;
    this.#node = node;
    if (typeof value === 'string') {
      if (value.length > this.#maxText) this.#fail(`makes a text of more than ${this.#maxText} characters`);
      this.#steps += value.length / textPerStep;
    } else if (Array.isArray(value)) {
      if (value.length > this.#maxElements) this.#fail(`makes a list of more than ${this.#maxElements} elements`);
      this.#steps += value.length / elementsPerStep;
    }
    if (this.#interruption !== undefined) this.#mayGoOn(this.#interruption(true));
  }

  #mayGoOn(reason: string | undefined): void {
    if (reason !== undefined) this.#fail(reason);
  }

  #fail(problem: string): never {
    const origin = this.#origin;
    if (origin === undefined) throw new Error('nothing is executed');
    throw new TemplateLimitError(origin.name, positionOf(origin.source, this.#node?.pos ?? 0), problem);
  }
}
