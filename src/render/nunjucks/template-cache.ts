import { LRUCache } from 'lru-cache';
import { compileTemplate } from './compile/template.ts';
import type { CompiledTemplate } from './scope.ts';

/** Compiles templates, and caches the `size` most recently used ones by path for later renders. */
export function cachingCompiler(size: number): (path: string, text: string) => CompiledTemplate {
  const known = new LRUCache<string, { text: string; template: CompiledTemplate }>({ max: size });
  return (path, text) => {
    const found = known.get(path);
    if (found?.text === text) return found.template;
    const template = compileTemplate(path, text);
    known.set(path, { text, template });
    return template;
  };
}
