import { compileTemplate } from './compile/template.ts';
import type { CompiledTemplate } from './scope.ts';

/** Compiles templates and keeps the last `size` of them by their paths, for charts that are rendered again with other values. */
export function cachingCompiler(size: number): (path: string, text: string) => CompiledTemplate {
  const known = new Map<string, { text: string; template: CompiledTemplate }>();
  return (path, text) => {
    const found = known.get(path);
    if (found?.text === text) return found.template;
    const template = compileTemplate(path, text);
    known.delete(path);
    known.set(path, { text, template });
    const [oldest] = known.keys();
    if (known.size > size && oldest !== undefined) known.delete(oldest);
    return template;
  };
}
