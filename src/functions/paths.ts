import type { FunctionFamily } from './support/family.ts';

const path = ['string'] as const;

/**
 * Sprig's functions over slash-separated paths. The `os…` variants are the same: charts render as
 * on Linux.
 */
export const pathFunctions: FunctionFamily = {
  ...both('base', base),
  ...both('dir', (text) => clean(text.slice(0, text.lastIndexOf('/') + 1))),
  ...both('clean', clean),
  ...both('ext', (text) => /\.[^./]*$/.exec(text)?.[0] ?? ''),
  ...both('isAbs', (text) => text.startsWith('/')),
};

function both(name: string, call: (text: string) => string | boolean): FunctionFamily {
  const definition = { params: path, call };
  return { [name]: definition, [`os${name.charAt(0).toUpperCase()}${name.slice(1)}`]: definition };
}

/** Go's `path.Base`. */
function base(text: string): string {
  if (text === '') return '.';
  let end = text.length;
  while (end > 0 && text[end - 1] === '/') end--;
  return end === 0 ? '/' : text.slice(text.lastIndexOf('/', end - 1) + 1, end);
}

/** Go's `path.Clean`: returns the shortest equivalent path. */
function clean(text: string): string {
  const rooted = text.startsWith('/');
  const parts: string[] = [];
  for (const part of text.split('/')) {
    if (part === '' || part === '.') continue;
    if (part !== '..') parts.push(part);
    else if (parts.length > 0 && parts.at(-1) !== '..') parts.pop();
    else if (!rooted) parts.push(part);
  }
  return (rooted ? '/' : '') + parts.join('/') || '.';
}
