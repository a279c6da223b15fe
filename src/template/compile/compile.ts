import { compileCall } from './call.ts';
import { compileOperand } from './operand.ts';
import { compilePipeline } from './pipeline.ts';
import { compileList } from './statement.ts';
import { Frame, type Runnable, type Running, type Slot, type Statement } from '../execute/frame.ts';
import type { FunctionTable } from '../function.ts';
import type { Node } from '../parse/node.ts';
import { isEmptyTree } from '../parse/parse.ts';
import type { Source } from '../template-error.ts';
import type { Compilers, Unit, Variable } from './unit.ts';
import { VariableScope } from '../parse/variable-scope.ts';

const compilers: Compilers = { pipeline: compilePipeline, operand: compileOperand, call: compileCall };

/** A template that is compiled when it is run for the first time. */
export class CompiledTemplate implements Runnable {
  readonly name: string;
  /** Whether there is nothing in it but space. */
  readonly isEmpty: boolean;
  readonly source: Source;
  readonly nodes: readonly Node[];
  readonly #functions: FunctionTable;
  #body: Statement | undefined;
  #variables = 1;

  constructor(name: string, source: Source, nodes: readonly Node[], functions: FunctionTable) {
    this.name = name;
    this.isEmpty = isEmptyTree(nodes);
    this.source = source;
    this.nodes = nodes;
    this.#functions = functions;
  }

  run(running: Running, dot: Slot): void {
    this.#body ??= this.#compile();
    this.#body(new Frame(running, dot, this.#variables));
  }

  #compile(): Statement {
    const scope = new VariableScope<Variable>();
    scope.declare('$', { slot: 0, ranged: false });
    const unit: Unit = {
      name: this.name,
      source: this.source,
      functions: this.#functions,
      scope,
      counter: { slots: 1 },
      compile: compilers,
    };
    const body = compileList(unit, this.nodes);
    this.#variables = unit.counter.slots;
    return body;
  }
}
