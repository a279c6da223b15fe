import type { MappingNode, ScalarNode, SequenceNode, YamlNode } from './node.ts';
import { readYamlText } from './reader.ts';
import { Scanner } from './scanner.ts';
import type { Token } from './token.ts';
import { YamlError } from './yaml-error.ts';

/** Maximum nesting depth: well below the limit of the stack, well above that of any chart. */
export const maxDepth = 1000;

const standardHandles = [
  ['!', '!'],
  ['!!', 'tag:yaml.org,2002:'],
] as const;

/**
 * Context of a node: in a block, in a block after a key, where a list needs no indentation, or in
 * brackets.
 */
type NodeContext = 'block' | 'block-or-list' | 'flow';

/**
 * Parses the first document as go-yaml does, with its errors; returns undefined if there is none.
 * The text after it is not checked. Throws {@link YamlError}.
 */
export function parseFirstDocument(text: string): YamlNode | undefined {
  return new Parser(new Scanner(readYamlText(text))).document();
}

class Parser {
  readonly #scanner: Scanner;
  readonly #anchors = new Map<string, YamlNode>();
  readonly #handles = new Map<string, string>();
  #depth = 0;

  constructor(scanner: Scanner) {
    this.#scanner = scanner;
  }

  document(): YamlNode | undefined {
    const scanner = this.#scanner;
    const first = scanner.peek().type;
    if (first === 'stream-end') return undefined;
    this.#directives();
    const explicit = first === 'document-start' || first === 'version' || first === 'tag-directive';
    if (explicit) {
      const { type, line } = scanner.peek();
      if (type !== 'document-start') scanner.failAt(line, 'did not find expected <document start>');
      scanner.next();
    }
    const root = explicit && this.#endsDocument(scanner.peek()) ? emptyScalar(scanner.peek()) : this.#node('block');
    // the text after the root must be a token
    scanner.peek();
    return root;
  }

  #endsDocument({ type }: Token): boolean {
    return ['version', 'tag-directive', 'document-start', 'document-end', 'stream-end'].includes(type);
  }

  #directives(): void {
    const scanner = this.#scanner;
    let hasVersion = false;
    for (;;) {
      const token = scanner.peek();
      if (token.type === 'version') {
        if (hasVersion) scanner.failAt(token.line, 'found duplicate %YAML directive');
        if (token.version !== '1.1') scanner.failAt(token.line, 'found incompatible YAML document');
        hasVersion = true;
      } else if (token.type === 'tag-directive') {
        if (this.#handles.has(token.handle)) scanner.failAt(token.line, 'found duplicate %TAG directive');
        this.#handles.set(token.handle, token.prefix);
      } else break;
      scanner.next();
    }
    for (const [handle, prefix] of standardHandles) {
      if (!this.#handles.has(handle)) this.#handles.set(handle, prefix);
    }
  }

  #node(context: NodeContext): YamlNode {
    const scanner = this.#scanner;
    const first = scanner.peek();
    if (first.type === 'alias') {
      const target = this.#anchors.get(first.name);
      if (target === undefined) throw new YamlError(`yaml: unknown anchor '${first.name}' referenced`);
      scanner.next();
      return { kind: 'alias', line: first.line, name: first.name, target };
    }
    const { line } = first;
    const { anchor, tag } = this.#properties();
    const token = scanner.peek();
    switch (token.type) {
      case 'scalar':
        scanner.next();
        return this.#anchored(anchor, {
          kind: 'scalar',
          line,
          text: token.text,
          tag,
          plain: tag === '!' || (tag === '' && token.plain),
        });
      case 'block-entry':
        if (context !== 'block-or-list') break;
        return this.#nested(anchor, { kind: 'sequence', line, items: [] }, (items) => {
          this.#unindentedItems(items);
        });
      case 'flow-sequence-start':
        return this.#nested(anchor, { kind: 'sequence', line, items: [] }, (items) => {
          this.#flowItems(items);
        });
      case 'flow-mapping-start':
        return this.#nested(anchor, { kind: 'mapping', line, items: [] }, (items) => {
          this.#flowPairs(items);
        });
      case 'block-sequence-start':
        if (context === 'flow') break;
        return this.#nested(anchor, { kind: 'sequence', line, items: [] }, (items) => {
          this.#blockItems(items);
        });
      case 'block-mapping-start':
        if (context === 'flow') break;
        return this.#nested(anchor, { kind: 'mapping', line, items: [] }, (items) => {
          this.#blockPairs(items);
        });
      default:
    }
    if (anchor !== undefined || tag !== '') {
      return this.#anchored(anchor, { kind: 'scalar', line, text: '', tag, plain: tag === '' });
    }
    return scanner.failAt(token.line, 'did not find expected node content');
  }

  /** Reads the anchor and the tag before a node, in either order. */
  #properties(): { anchor: string | undefined; tag: string } {
    const scanner = this.#scanner;
    let anchor: string | undefined;
    let tag: { handle: string; suffix: string; line: number } | undefined;
    for (;;) {
      const token = scanner.peek();
      if (token.type === 'anchor' && anchor === undefined) anchor = token.name;
      else if (token.type === 'tag' && tag === undefined) tag = token;
      else break;
      scanner.next();
    }
    if (tag === undefined) return { anchor, tag: '' };
    if (tag.handle === '') return { anchor, tag: tag.suffix };
    const prefix = this.#handles.get(tag.handle);
    if (prefix === undefined) return scanner.failAt(tag.line, 'found undefined tag handle');
    return { anchor, tag: prefix + tag.suffix };
  }

  #anchored<N extends YamlNode>(anchor: string | undefined, node: N): N {
    if (anchor !== undefined) this.#anchors.set(anchor, node);
    return node;
  }

  /** Reads a collection, which may contain aliases to itself. */
  #nested<N extends SequenceNode | MappingNode>(
    anchor: string | undefined,
    node: N,
    read: (items: YamlNode[]) => void,
  ): N {
    this.#anchored(anchor, node);
    const { line } = this.#scanner.peek();
    if (++this.#depth > maxDepth) throw new YamlError(`yaml: exceeded max depth of ${maxDepth}`, line + 1);
    read(node.items);
    this.#depth--;
    return node;
  }

  #blockItems(items: YamlNode[]): void {
    const scanner = this.#scanner;
    scanner.next();
    for (;;) {
      const token = scanner.peek();
      if (token.type !== 'block-entry' && token.type !== 'block-end') {
        scanner.failAt(token.line, "did not find expected '-' indicator");
      }
      scanner.next();
      if (token.type === 'block-end') return;
      const { type } = scanner.peek();
      items.push(type === 'block-entry' || type === 'block-end' ? emptyScalar(token) : this.#node('block'));
    }
  }

  /** Reads items in the same column as their key. */
  #unindentedItems(items: YamlNode[]): void {
    const scanner = this.#scanner;
    for (;;) {
      const token = scanner.peek();
      if (token.type !== 'block-entry') return;
      scanner.next();
      const { type } = scanner.peek();
      const isEmpty = type === 'block-entry' || type === 'key' || type === 'value' || type === 'block-end';
      items.push(isEmpty ? emptyScalar(token) : this.#node('block'));
    }
  }

  #blockPairs(items: YamlNode[]): void {
    const scanner = this.#scanner;
    scanner.next();
    for (;;) {
      const token = scanner.peek();
      if (token.type !== 'key' && token.type !== 'block-end') {
        scanner.failAt(token.line, 'did not find expected key');
      }
      scanner.next();
      if (token.type === 'block-end') return;
      items.push(this.#blockPart(token));
      const colon = scanner.peek();
      if (colon.type === 'value') {
        scanner.next();
        items.push(this.#blockPart(colon));
      } else items.push(emptyScalar(token));
    }
  }

  /** Reads a key or a value after its indicator. */
  #blockPart(indicator: Token): YamlNode {
    const { type } = this.#scanner.peek();
    const isEmpty = type === 'key' || type === 'value' || type === 'block-end';
    return isEmpty ? emptyScalar(indicator) : this.#node('block-or-list');
  }

  #flowItems(items: YamlNode[]): void {
    const scanner = this.#scanner;
    scanner.next();
    for (let first = true; this.#hasFlowEntry(first, ']'); first = false) {
      const { type, line } = scanner.peek();
      if (type === 'key') {
        scanner.next();
        items.push(
          this.#nested(undefined, { kind: 'mapping', line, items: [] }, (items) => {
            this.#flowItemPair(items);
          }),
        );
      } else items.push(this.#node('flow'));
    }
  }

  /** Reads a pair without braces in a list. */
  #flowItemPair(items: YamlNode[]): void {
    const scanner = this.#scanner;
    const first = scanner.peek();
    const { type } = first;
    if (type === 'value' || type === 'flow-entry' || type === 'flow-sequence-end') {
      // go-yaml loses the token after an empty key
      scanner.next();
      items.push(emptyScalar(first));
    } else items.push(this.#node('flow'));
    const colon = scanner.peek();
    if (colon.type === 'value') {
      scanner.next();
      const after = scanner.peek().type;
      items.push(after === 'flow-entry' || after === 'flow-sequence-end' ? emptyScalar(colon) : this.#node('flow'));
    } else items.push(emptyScalar(first));
  }

  #flowPairs(items: YamlNode[]): void {
    const scanner = this.#scanner;
    scanner.next();
    for (let first = true; this.#hasFlowEntry(first, '}'); first = false) {
      const first = scanner.peek();
      if (first.type !== 'key') {
        items.push(this.#node('flow'), emptyScalar(first));
        continue;
      }
      scanner.next();
      const { type } = scanner.peek();
      const isEmpty = type === 'value' || type === 'flow-entry' || type === 'flow-mapping-end';
      items.push(isEmpty ? emptyScalar(first) : this.#node('flow'));
      const colon = scanner.peek();
      if (colon.type === 'value') {
        scanner.next();
        const after = scanner.peek().type;
        items.push(after === 'flow-entry' || after === 'flow-mapping-end' ? emptyScalar(colon) : this.#node('flow'));
      } else items.push(emptyScalar(first));
    }
  }

  /** Whether another entry follows before the closing bracket; skips the bracket if not. */
  #hasFlowEntry(first: boolean, bracket: ']' | '}'): boolean {
    const scanner = this.#scanner;
    const end = bracket === ']' ? 'flow-sequence-end' : 'flow-mapping-end';
    const token = scanner.peek();
    if (!first && token.type === 'flow-entry') scanner.next();
    else if (!first && token.type !== end) {
      scanner.failAt(token.line, `did not find expected ',' or '${bracket}'`);
    }
    if (scanner.peek().type !== end) return true;
    scanner.next();
    return false;
  }
}

/** Returns the scalar for an omitted key or value. */
function emptyScalar({ line }: Token): ScalarNode {
  return { kind: 'scalar', line, text: '', tag: '', plain: true };
}
