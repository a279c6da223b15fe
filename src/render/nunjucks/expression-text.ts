import type { Node } from './node.ts';

/**
 * Returns an expression as errors show it: names, members and calls as written, the rest as dots.
 */
export function expressionText(node: Node): string {
  switch (node.typename) {
    case 'Symbol':
      return node.value;
    case 'Literal':
      return typeof node.value === 'string' ? JSON.stringify(node.value) : String(node.value);
    case 'LookupVal':
      return expressionText(node.target) + memberText(node.val);
    case 'FunCall':
      return `${expressionText(node.name)}(${node.args.children.length === 0 ? '' : '…'})`;
    case 'Group':
      return `(${node.children.map(expressionText).join(', ')})`;
    case 'Filter': {
      const [piped] = node.args.children;
      return `${piped ? expressionText(piped) : '…'} | ${expressionText(node.name)}`;
    }
    default:
      return '…';
  }
}

function memberText(key: Node | null): string {
  if (key?.typename === 'Literal' && typeof key.value === 'string' && /^[\w$]+$/.test(key.value))
    return `.${key.value}`;
  return `[${key ? expressionText(key) : ''}]`;
}
