import { type ExecutionState, Frame, type Runnable, type Slot, type Statement } from '../execute/frame.ts';
import type { FunctionTable } from '../function.ts';
import type { Node } from '../parse/node.ts';
import { isEmptyTree } from '../parse/parse.ts';
import { VariableScope } from '../parse/variable-scope.ts';
import type { TemplateFile } from '../template-file.ts';
import { compileCall } from './call.ts';
import type { CompileContext, Compilers, Variable } from './compile-context.ts';
import { compileOperand } from './operand.ts';
import { compilePipeline } from './pipeline.ts';
import { compileList } from './statement.ts';

const compilers: Compilers = { pipeline: compilePipeline, operand: compileOperand, call: compileCall };

/** A template that is compiled when it runs for the first time. */
export class CompiledTemplate implements Runnable {
  readonly name: string;
  /** Whether it contains only space. */
  readonly isEmpty: boolean;
  readonly file: TemplateFile;
  readonly nodes: readonly Node[];
  readonly #functions: FunctionTable;
  #body: Statement | undefined;
  #variables = 1;

  constructor(name: string, file: TemplateFile, nodes: readonly Node[], functions: FunctionTable) {
    this.name = name;
    this.isEmpty = isEmptyTree(nodes);
    this.file = file;
    this.nodes = nodes;
    this.#functions = functions;
  }

  run(execution: ExecutionState, dot: Slot): void {
    this.#body ??= this.#compile();
    this.#body(new Frame(execution, dot, this.#variables));
  }

  #compile(): Statement {
    const scope = new VariableScope<Variable>();
    scope.declare('$', { slot: 0, ranged: false });
    const context: CompileContext = {
      name: this.name,
      file: this.file,
      functions: this.#functions,
      scope,
      counter: { slots: 1 },
      compile: compilers,
    };
    const body = compileList(context, this.nodes);
    this.#variables = context.counter.slots;
    return body;
  }
}
