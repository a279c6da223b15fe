import { quote } from '../../go/strconv.ts';
import { unquote } from '../../go/unquote.ts';
import { GoError } from '../../go/value.ts';
import type { ArgumentNode, CommandNode, NumberNode, PipeNode, VariableNode } from './node.ts';
import { nodeText } from './node-text.ts';
import { parseNumber } from './number-literal.ts';
import type { Token, TokenType } from './token.ts';
import type { TokenStream } from './token-stream.ts';
import type { VariableScope } from './variable-scope.ts';

/** State of the parser within one template. */
export interface ParserState {
  readonly tokens: TokenStream;
  /** Whether a function with that name exists. */
  readonly hasFunction: (name: string) => boolean;
  /** The declared variables. */
  readonly variables: VariableScope<true>;
  /** Nesting depth of parentheses. */
  parenDepth: number;
}

const maxParenDepth = 10_000;
const operandStarts: ReadonlySet<TokenType> = new Set<TokenType>([
  'bool',
  'character constant',
  'complex',
  '.',
  'field',
  'identifier',
  'number',
  'nil',
  'raw string',
  'string',
  'variable',
  '(',
]);

/** Parses a pipeline, including the token `end`. `context` is used in errors. */
export function parsePipeline(state: ParserState, context: string, end: TokenType): PipeNode {
  const { tokens } = state;
  const { pos } = tokens.peekNonSpace();
  const { declarations, assigns } = parseDeclarations(state, context);
  const commands: CommandNode[] = [];
  for (;;) {
    const token = tokens.nextNonSpace();
    if (token.type === end) break;
    if (!operandStarts.has(token.type)) tokens.unexpected(token, context);
    tokens.back(token);
    commands.push(parseCommand(state));
  }
  checkCommands(commands, tokens, context);
  return { kind: 'pipe', pos, declarations, assigns, commands };
}

interface Declarations {
  readonly declarations: readonly VariableNode[];
  readonly assigns: boolean;
}

/** Parses `$a :=`, `$a =`, and in a range also `$a, $b :=`. */
function parseDeclarations(state: ParserState, context: string): Declarations {
  const { tokens } = state;
  const declarations: VariableNode[] = [];
  while (tokens.peekNonSpace().type === 'variable') {
    const variable = tokens.next();
    const following = tokens.peek();
    const next = tokens.peekNonSpace();
    const comma = next.type === 'char' && next.value === ',';
    if (!comma && next.type !== 'assign' && next.type !== 'declare') {
      tokens.back(variable, following.type === 'space' ? following : undefined);
      break;
    }
    tokens.nextNonSpace();
    declarations.push({ kind: 'variable', pos: variable.pos, name: variable.value, names: [] });
    state.variables.declare(variable.value, true);
    if (!comma) return { declarations, assigns: next.type === 'assign' };
    if (context !== 'range' || declarations.length > 1) tokens.fail(`too many declarations in ${context}`);
    if (!['variable', 'right delimiter', ')'].includes(tokens.peekNonSpace().type)) {
      tokens.fail('range can only initialize variables');
    }
  }
  return { declarations, assigns: false };
}

const constants: readonly string[] = ['bool', 'dot', 'nil', 'number', 'string'];

function checkCommands(commands: readonly CommandNode[], tokens: TokenStream, context: string): void {
  if (commands.length === 0) tokens.fail(`missing value for ${context}`);
  const stage = commands.findIndex((command, i) => i > 0 && constants.includes(command.first.kind));
  if (stage > 0) tokens.fail(`non executable command in pipeline stage ${stage + 1}`);
}

function parseCommand(state: ParserState): CommandNode {
  const { tokens } = state;
  const { pos } = tokens.peekNonSpace();
  const operands: ArgumentNode[] = [];
  for (;;) {
    tokens.peekNonSpace();
    const operand = parseOperand(state);
    if (operand !== undefined) operands.push(operand);
    const token = tokens.next();
    if (token.type === 'space') continue;
    if (token.type === 'right delimiter' || token.type === ')') tokens.back(token);
    else if (token.type !== '|') tokens.unexpected(token, 'operand');
    break;
  }
  const [first, ...args] = operands;
  return first === undefined ? tokens.fail('empty command') : { kind: 'command', pos, first, args };
}

/** Parses a term and the fields after it. */
function parseOperand(state: ParserState): ArgumentNode | undefined {
  const { tokens } = state;
  const node = parseTerm(state);
  const { type, pos } = node === undefined ? { type: undefined, pos: 0 } : tokens.peek();
  if (node === undefined || type !== 'field') return node;
  const names: string[] = [];
  while (tokens.peek().type === 'field') names.push(tokens.next().value.slice(1));
  switch (node.kind) {
    case 'field':
    case 'variable':
      return { ...node, pos, names: [...node.names, ...names] };
    case 'bool':
    case 'string':
    case 'number':
    case 'nil':
    case 'dot':
      return tokens.fail(`unexpected . after term ${quote(nodeText(node))}`);
    default:
      return { kind: 'chain', pos, node, names };
  }
}

function parseTerm(state: ParserState): ArgumentNode | undefined {
  const { tokens } = state;
  const token = tokens.nextNonSpace();
  const { type, pos, value } = token;
  switch (type) {
    case 'identifier':
      if (!state.hasFunction(value)) tokens.fail(`function ${quote(value)} not defined`);
      return { kind: 'identifier', pos, name: value };
    case '.':
      return { kind: 'dot', pos };
    case 'nil':
      return { kind: 'nil', pos };
    case 'variable':
      if (!state.variables.has(value)) tokens.fail(`undefined variable ${quote(value)}`);
      return { kind: 'variable', pos, name: value, names: [] };
    case 'field':
      return { kind: 'field', pos, names: [value.slice(1)] };
    case 'bool':
      return { kind: 'bool', pos, value: value === 'true' };
    case 'character constant':
    case 'complex':
    case 'number':
      return parseNumberToken(token, tokens);
    case '(':
      return parseParenthesized(state);
    case 'string':
    case 'raw string':
      return { kind: 'string', pos, literal: value, value: unquoteToken(token, tokens) };
    default:
      tokens.back(token);
      return undefined;
  }
}

function parseParenthesized(state: ParserState): PipeNode {
  if (state.parenDepth >= maxParenDepth) state.tokens.fail('max expression depth exceeded');
  state.parenDepth++;
  const pipe = parsePipeline(state, 'parenthesized pipeline', ')');
  state.parenDepth--;
  return pipe;
}

function parseNumberToken(token: Token, tokens: TokenStream): NumberNode {
  try {
    return parseNumber(token);
  } catch (error) {
    if (error instanceof GoError) return tokens.fail(error.message);
    throw error;
  }
}

/** Returns the value of a string literal. */
export function unquoteToken(token: Token, tokens: TokenStream): string {
  return unquote(token.value) ?? tokens.fail('invalid syntax');
}
