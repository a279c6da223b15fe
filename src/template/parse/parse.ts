import { isBlank } from '../../go/space.ts';
import { quote } from '../../go/strconv.ts';
import { TemplateParseError } from '../template-error.ts';
import { Lexer } from './lexer.ts';
import type { BranchNode, Node, PipeNode, TemplateNode } from './node.ts';
import { parsePipeline, type ParserState, unquoteToken } from './parse-pipeline.ts';
import type { Token } from './token.ts';
import { TokenStream } from './token-stream.ts';
import { VariableScope } from './variable-scope.ts';

/** A parsed text. */
export interface ParsedText {
  /** The nodes outside of all definitions. */
  readonly root: readonly Node[];
  /** The templates by name: the text itself, and those it defines. */
  readonly trees: ReadonlyMap<string, readonly Node[]>;
}

/** Parser state shared by all templates of a text. */
interface File {
  readonly name: string;
  readonly text: string;
  readonly lexer: Lexer;
  readonly hasFunction: (name: string) => boolean;
  readonly trees: Map<string, readonly Node[]>;
}

/** Parser state of one template of a file. */
interface Tree extends ParserState {
  readonly file: File;
  /** Number of enclosing ranges. */
  rangeDepth: number;
}

/** The action that ended a list of nodes. */
interface Ending {
  readonly kind: 'end' | 'else';
}

/** Parses a text. Throws {@link TemplateParseError} if it is not a valid template. */
export function parseTemplate(name: string, text: string, hasFunction: (name: string) => boolean): ParsedText {
  const file: File = { name, text, lexer: new Lexer(text), hasFunction, trees: new Map() };
  try {
    return { root: parseFile(file), trees: file.trees };
  } catch (error) {
    // the text is nested deeper than the stack of this thread allows
    if (error instanceof RangeError) throw new TemplateParseError(name, 1, 'max expression depth exceeded');
    throw error;
  }
}

function newTree(file: File): Tree {
  const tokens = new TokenStream(file.name, file.text, file.lexer);
  const variables = new VariableScope<true>();
  variables.declare('$', true);
  return { file, tokens, hasFunction: file.hasFunction, variables, parenDepth: 0, rangeDepth: 0 };
}

function parseFile(file: File): Node[] {
  const tree = newTree(file);
  const { tokens } = tree;
  const root: Node[] = [];
  while (tokens.peek().type !== 'EOF') {
    if (tokens.peek().type === 'left delimiter' && startsDefinition(tokens)) {
      parseDefinition(file);
      continue;
    }
    const node = parseTextOrAction(tree);
    if (isEnding(node)) tokens.fail(`unexpected {{${node.kind}}}`);
    else root.push(node);
  }
  addTree(tree, file.name, root);
  return root;
}

function startsDefinition(tokens: TokenStream): boolean {
  const delimiter = tokens.next();
  const token = tokens.nextNonSpace();
  if (token.type === 'define') return true;
  tokens.back(delimiter, token);
  return false;
}

function isEnding(node: Node | Ending): node is Ending {
  return node.kind === 'end' || node.kind === 'else';
}

/** Whether a template contains only space, so that it does not redefine another one. */
export function isEmptyTree(nodes: readonly Node[]): boolean {
  return nodes.every((node) => node.kind === 'text' && isBlank(node.text));
}

function addTree({ file, tokens }: Tree, name: string, nodes: readonly Node[]): void {
  const known = file.trees.get(name);
  if (known === undefined || isEmptyTree(known)) file.trees.set(name, nodes);
  else if (!isEmptyTree(nodes)) tokens.fail(`template: multiple definition of template ${quote(name)}`);
}

/** Parses `{{ define "name" }} … {{ end }}`, after the keyword. */
function parseDefinition(file: File): void {
  const context = 'define clause';
  const tree = newTree(file);
  const name = unquoteToken(tree.tokens.expect(context, 'string', 'raw string'), tree.tokens);
  tree.tokens.expect(context, 'right delimiter');
  const { list, ending } = parseList(tree);
  if (ending.kind !== 'end') tree.tokens.fail(`unexpected {{${ending.kind}}} in ${context}`);
  addTree(tree, name, list);
}

function parseList(tree: Tree): { list: Node[]; ending: Ending } {
  const list: Node[] = [];
  while (tree.tokens.peekNonSpace().type !== 'EOF') {
    const node = parseTextOrAction(tree);
    if (isEnding(node)) return { list, ending: node };
    list.push(node);
  }
  return tree.tokens.fail('unexpected EOF');
}

function parseTextOrAction(tree: Tree): Node | Ending {
  const { tokens } = tree;
  const token = tokens.nextNonSpace();
  if (token.type === 'text') return { kind: 'text', pos: token.pos, text: token.value };
  if (token.type !== 'left delimiter') return tokens.unexpected(token, 'input');
  tokens.actionStart = token.pos;
  const node = parseAction(tree);
  tokens.actionStart = undefined;
  return node;
}

function parseAction(tree: Tree): Node | Ending {
  const { tokens } = tree;
  const token = tokens.nextNonSpace();
  switch (token.type) {
    case 'block':
      return parseBlock(tree);
    case 'break':
    case 'continue':
      return parseJump(tree, token.type, token.pos);
    case 'else':
      return parseElse(tokens);
    case 'end':
      tokens.expect('end', 'right delimiter');
      return { kind: 'end' };
    case 'if':
    case 'range':
    case 'with':
      return parseBranch(tree, token.type);
    case 'template':
      return parseTemplateCall(tree);
    default:
      tokens.back(token);
      return { kind: 'action', pos: token.pos, pipe: parsePipeline(tree, 'command', 'right delimiter') };
  }
}

function parseJump({ tokens, rangeDepth }: Tree, kind: 'break' | 'continue', pos: number): Node {
  tokens.expect(`{{${kind}}}`, 'right delimiter');
  if (rangeDepth === 0) tokens.fail(`{{${kind}}} outside {{range}}`);
  return { kind, pos };
}

/** Parses `else` up to its end, or up to the `if` or `with` after it. */
function parseElse(tokens: TokenStream): Ending {
  const { type } = tokens.peekNonSpace();
  if (type !== 'if' && type !== 'with') tokens.expect('else', 'right delimiter');
  return { kind: 'else' };
}

function parseBranch(tree: Tree, kind: BranchNode['kind']): BranchNode {
  const declared = tree.variables.size;
  const pipe = parsePipeline(tree, kind, 'right delimiter');
  if (kind === 'range') tree.rangeDepth++;
  const { list, ending } = parseList(tree);
  if (kind === 'range') tree.rangeDepth--;
  const elseList = ending.kind === 'else' ? parseElseList(tree, kind) : undefined;
  tree.variables.leave(declared);
  return { kind, pos: pipe.pos, pipe, list, elseList };
}

/**
 * Parses the contents of `else`: a list, or an `else if` or `else with`, which share their `end`.
 */
function parseElseList(tree: Tree, kind: BranchNode['kind']): Node[] {
  const { tokens } = tree;
  if (kind !== 'range' && tokens.peek().type === kind) {
    tokens.next();
    return [parseBranch(tree, kind)];
  }
  const { list, ending } = parseList(tree);
  if (ending.kind !== 'end') tokens.fail(`expected end; found {{${ending.kind}}}`);
  return list;
}

/** Parses `{{ block "name" pipeline }} … {{ end }}`, which defines a template and calls it. */
function parseBlock(tree: Tree): TemplateNode {
  const context = 'block clause';
  const token = tree.tokens.nextNonSpace();
  const name = templateName(token, tree.tokens, context);
  const pipe = parsePipeline(tree, context, 'right delimiter');
  const block = newTree(tree.file);
  const { list, ending } = parseList(block);
  if (ending.kind !== 'end') tree.tokens.fail(`unexpected {{${ending.kind}}} in ${context}`);
  addTree(block, name, list);
  return { kind: 'template', pos: token.pos, name, pipe };
}

function parseTemplateCall(tree: Tree): TemplateNode {
  const context = 'template clause';
  const { tokens } = tree;
  const token = tokens.nextNonSpace();
  const name = templateName(token, tokens, context);
  const next = tokens.nextNonSpace();
  let pipe: PipeNode | undefined;
  if (next.type !== 'right delimiter') {
    tokens.back(next);
    pipe = parsePipeline(tree, context, 'right delimiter');
  }
  return { kind: 'template', pos: token.pos, name, pipe };
}

function templateName(token: Token, tokens: TokenStream, context: string): string {
  return token.type === 'string' || token.type === 'raw string'
    ? unquoteToken(token, tokens)
    : tokens.unexpected(token, context);
}
