import { builtins } from './execute/builtins.ts';
import { CompiledTemplate } from './compile/compile.ts';
import type { FunctionTable } from './function.ts';
import { parseTemplate } from './parse/parse.ts';
import { createWeightedCache, type WeightedCache } from './weighted-cache.ts';

/** A text with templates: it is one itself, and may define others. */
export interface TemplateFile {
  readonly name: string;
  readonly text: string;
}

export interface TemplateSetOptions {
  readonly functions: FunctionTable;
  /** The name of the set in the error for a template that is not there. Helm's is `gotpl`. */
  readonly name?: string;
  /** What {@link TemplateSet.extend} has parsed; sets with the same functions may share it. Default: one of the set's own. */
  readonly parsed?: ParseCache;
}

/** Texts that were parsed, by name and text. */
export type ParseCache = WeightedCache<ParsedFile>;

type Templates = ReadonlyMap<string, CompiledTemplate>;

interface ParsedFile {
  /** What the text itself is. */
  readonly template: CompiledTemplate;
  /** That and what it defines. */
  readonly templates: Templates;
}

/** How many characters of text stay parsed. What is made of them takes some twenty times the memory. */
const maxParsedText = 512 * 1024;

export function createParseCache(): ParseCache {
  return createWeightedCache(maxParsedText);
}

/** Templates that know each other by name. */
export class TemplateSet {
  readonly name: string;
  readonly #functions: FunctionTable;
  readonly #parent: TemplateSet | undefined;
  readonly #templates = new Map<string, CompiledTemplate>();
  readonly #parsed: ParseCache;

  private constructor(name: string, functions: FunctionTable, parsed: ParseCache, parent?: TemplateSet) {
    this.name = name;
    this.#functions = functions;
    this.#parsed = parsed;
    this.#parent = parent;
  }

  /**
   * Parses texts in their order. Of templates with one name the last that is not empty counts.
   * Throws `TemplateParseError` where a text is no template.
   */
  static parse(files: Iterable<TemplateFile>, options: TemplateSetOptions): TemplateSet {
    const { functions, name = 'gotpl', parsed = createParseCache() } = options;
    const set = new TemplateSet(name, functions, parsed);
    for (const file of files) set.#add(parseFile(file, functions).templates);
    return set;
  }

  /**
   * A set with the templates of one more text, and the template that the text itself is; this set stays as it is. A text that was
   * seen before is not parsed again. Throws `TemplateParseError` where the text is no template.
   */
  extend(file: TemplateFile): { readonly set: TemplateSet; readonly template: CompiledTemplate } {
    const { template, templates } = this.#parseCached(file);
    const set = new TemplateSet(this.name, this.#functions, this.#parsed, this);
    set.#add(templates);
    return { set, template };
  }

  #parseCached(file: TemplateFile): ParsedFile {
    const key = `${file.name}\0${file.text}`;
    const known = this.#parsed.get(key);
    if (known !== undefined) return known;
    const parsed = parseFile(file, this.#functions);
    this.#parsed.set(key, parsed, key.length);
    return parsed;
  }

  #add(templates: Templates): void {
    for (const [name, template] of templates) {
      if (!template.isEmpty || this.lookup(name) === undefined) this.#templates.set(name, template);
    }
  }

  /** The template of that name. */
  lookup(name: string): CompiledTemplate | undefined {
    return this.#templates.get(name) ?? this.#parent?.lookup(name);
  }
}

function parseFile(file: TemplateFile, functions: FunctionTable): ParsedFile {
  const { root, trees } = parseTemplate(file.name, file.text, (name) => functions.has(name) || builtins.has(name));
  const templates = new Map<string, CompiledTemplate>();
  for (const [name, nodes] of trees) templates.set(name, new CompiledTemplate(name, file, nodes, functions));
  const template = templates.get(file.name);
  const isRoot = template?.nodes === root;
  return { template: isRoot ? template : new CompiledTemplate(file.name, file, root, functions), templates };
}
