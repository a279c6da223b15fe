/** Syntax tree of Nunjucks's parser. Lines and columns count from 0. */

interface Located {
  readonly lineno: number;
  readonly colno: number;
}

/** Node with two operands. */
interface Pairing<Name extends string> extends Located {
  readonly typename: Name;
  readonly left: Node;
  readonly right: Node;
}

interface Single<Name extends string> extends Located {
  readonly typename: Name;
  readonly target: Node;
}

interface Several<Name extends string> extends Located {
  readonly typename: Name;
  readonly children: readonly Node[];
}

interface Looping<Name extends string> extends Located {
  readonly typename: Name;
  readonly arr: Node;
  /** A Symbol, or an Array of them. */
  readonly name: Node;
  readonly body: NodeList;
  readonly else_: NodeList | null;
}

interface Defining<Name extends string> extends Located {
  readonly typename: Name;
  readonly name: Node;
  readonly args: NodeList;
  readonly body: NodeList;
}

interface Condition<Name extends string> extends Located {
  readonly typename: Name;
  readonly cond: Node;
  readonly body: Node;
  readonly else_: Node | null;
}

interface Invoking<Name extends string> extends Located {
  readonly typename: Name;
  readonly name: Node;
  readonly args: NodeList;
}

interface Naming<Name extends string, Content> extends Located {
  readonly typename: Name;
  readonly value: Content;
}

type NodeList = Several<'NodeList'>;
/** A `RegExp` is the result of `r/…/`. */
export type LiteralNode = Naming<'Literal', string | number | boolean | null | RegExp>;
export type SymbolNode = Naming<'Symbol', string>;
type PairNode = Located & { readonly typename: 'Pair'; readonly key: Node; readonly value: Node };
type KeywordArgsNode = Several<'KeywordArgs'>;
/** `val` is null in `a[]`. */
export type LookupNode = Located & { readonly typename: 'LookupVal'; readonly target: Node; readonly val: Node | null };
export type CallNode = Invoking<'FunCall'>;
/** The piped value is the first of `args`. */
export type FilterNode = Invoking<'Filter'>;
export type CompareNode = Located & {
  readonly typename: 'Compare';
  readonly expr: Node;
  readonly ops: readonly (Located & { readonly expr: Node; readonly type: string })[];
};
export type ArithmeticNode = Pairing<'Add' | 'Sub' | 'Mul' | 'Div' | 'FloorDiv' | 'Mod' | 'Pow'>;
export type OperatorNode = Pairing<'And' | 'Or' | 'Concat' | 'In'>;
export type SignNode = Single<'Not' | 'Neg' | 'Pos'>;
export type InlineIfNode = Condition<'InlineIf'>;
export type IsNode = Pairing<'Is'>;
export type MacroNode = Defining<'Macro'>;
/** The body of a `call` block. */
export type CallerNode = Defining<'Caller'>;
export type CaptureNode = Located & { readonly typename: 'Capture'; readonly body: NodeList };
export type IfNode = Condition<'If'>;
export type ForNode = Looping<'For'>;
export type SetNode = Located & {
  readonly typename: 'Set';
  readonly targets: readonly Node[];
  /** Null if `body` is the value. */
  readonly value: Node | null;
  readonly body?: CaptureNode;
};
export type SwitchNode = Located & {
  readonly typename: 'Switch';
  readonly expr: Node;
  readonly cases: readonly { readonly cond: Node; readonly body: NodeList }[];
  readonly default: NodeList | null;
};
export type BlockNode = Located & { readonly typename: 'Block'; readonly name: SymbolNode; readonly body: NodeList };
export type ExtendsNode = Located & { readonly typename: 'Extends'; readonly template: Node };
export type IncludeNode = Located & {
  readonly typename: 'Include';
  readonly template: Node;
  readonly ignoreMissing: boolean | null;
};
export type ImportNode = Located & {
  readonly typename: 'Import';
  readonly template: Node;
  readonly target: Node;
  readonly withContext: boolean | null;
};
export type FromImportNode = Located & {
  readonly typename: 'FromImport';
  readonly template: Node;
  readonly names: NodeList;
  readonly withContext: boolean | null;
};
export type OutputNode = Several<'Output'>;
type TextNode = Naming<'TemplateData', string>;
export type RootNode = Several<'Root'>;

export type Node =
  | NodeList
  | RootNode
  | LiteralNode
  | SymbolNode
  | PairNode
  | KeywordArgsNode
  | Several<'Group'>
  | Several<'Array'>
  | Several<'Dict'>
  | LookupNode
  | CallNode
  | FilterNode
  | CompareNode
  | ArithmeticNode
  | OperatorNode
  | IsNode
  | SignNode
  | InlineIfNode
  | CaptureNode
  | CallerNode
  | MacroNode
  | IfNode
  | Condition<'IfAsync'>
  | ForNode
  | Looping<'AsyncEach' | 'AsyncAll'>
  | SetNode
  | SwitchNode
  | BlockNode
  | ExtendsNode
  | IncludeNode
  | ImportNode
  | FromImportNode
  | OutputNode
  | TextNode;
