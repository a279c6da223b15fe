/**
 * The syntax tree of a template. `pos` is the offset that error messages report for a node, which
 * in Go is not always its start.
 */

export type Node = TextNode | ActionNode | BranchNode | TemplateNode | JumpNode;

/** The contents of `{{` and `}}`, or a part of them. */
type ExpressionNode = PipeNode | CommandNode | ArgumentNode;

/** An operand of a command. */
export type ArgumentNode = PipeNode | IdentifierNode | FieldNode | VariableNode | ChainNode | DotNode | ConstantNode;

export type ConstantNode = NilNode | BoolNode | NumberNode | StringNode;

export type AnyNode = Node | ExpressionNode;

interface TextNode {
  readonly kind: 'text';
  readonly pos: number;
  readonly text: string;
}

/** `{{ pipeline }}` */
export interface ActionNode {
  readonly kind: 'action';
  readonly pos: number;
  readonly pipe: PipeNode;
}

/** `{{ if }}`, `{{ with }}` and `{{ range }}`. */
export interface BranchNode {
  readonly kind: 'if' | 'with' | 'range';
  readonly pos: number;
  readonly pipe: PipeNode;
  readonly list: readonly Node[];
  readonly elseList: readonly Node[] | undefined;
}

/** `{{ template "name" pipeline }}` */
export interface TemplateNode {
  readonly kind: 'template';
  readonly pos: number;
  readonly name: string;
  readonly pipe: PipeNode | undefined;
}

/** `{{ break }}` and `{{ continue }}` */
interface JumpNode {
  readonly kind: 'break' | 'continue';
  readonly pos: number;
}

/**
 * $a, $b := command
 * command
 */
export interface PipeNode {
  readonly kind: 'pipe';
  readonly pos: number;
  readonly declarations: readonly VariableNode[];
  /** Whether it is `=` instead of `:=`. */
  readonly assigns: boolean;
  readonly commands: readonly CommandNode[];
}

/** A function or a value, followed by its arguments. */
export interface CommandNode {
  readonly kind: 'command';
  readonly pos: number;
  readonly first: ArgumentNode;
  readonly args: readonly ArgumentNode[];
}

/** The name of a function. */
export interface IdentifierNode {
  readonly kind: 'identifier';
  readonly pos: number;
  readonly name: string;
}

/** `.a.b` */
export interface FieldNode {
  readonly kind: 'field';
  readonly pos: number;
  readonly names: readonly string[];
}

/** `$x.a.b`; the name includes the dollar sign. */
export interface VariableNode {
  readonly kind: 'variable';
  readonly pos: number;
  readonly name: string;
  readonly names: readonly string[];
}

/** `(pipeline).a.b` */
export interface ChainNode {
  readonly kind: 'chain';
  readonly pos: number;
  readonly node: ArgumentNode;
  readonly names: readonly string[];
}

interface DotNode {
  readonly kind: 'dot';
  readonly pos: number;
}

interface NilNode {
  readonly kind: 'nil';
  readonly pos: number;
}

interface BoolNode {
  readonly kind: 'bool';
  readonly pos: number;
  readonly value: boolean;
}

/**
 * A number literal. It has every kind that represents it without loss: `1e3` is also an integer.
 */
export interface NumberNode {
  readonly kind: 'number';
  readonly pos: number;
  readonly text: string;
  readonly int: bigint | undefined;
  readonly uint: bigint | undefined;
  readonly float: number | undefined;
  readonly complex: { readonly real: number; readonly imaginary: number } | undefined;
}

interface StringNode {
  readonly kind: 'string';
  readonly pos: number;
  /** As written in the template, with quotes. */
  readonly literal: string;
  readonly value: string;
}
