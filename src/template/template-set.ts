import { CompiledTemplate } from './compile/compile.ts';
import { builtins } from './execute/builtins.ts';
import type { FunctionTable } from './function.ts';
import { parseTemplate } from './parse/parse.ts';
import type { TemplateFile } from './template-file.ts';
import { createWeightedCache, type WeightedCache } from './weighted-cache.ts';

export interface TemplateSetOptions {
  readonly functions: FunctionTable;
  /** Name of the set in the error for a missing template. Default: `gotpl`, as in Helm. */
  readonly name?: string;
  /**
   * Cache of {@link TemplateSet.extend}, which sets with the same functions may share. Default: a
   * cache of the set's own.
   */
  readonly parsed?: ParseCache;
}

/** Parsed texts, by name and text. */
export type ParseCache = WeightedCache<ParsedFile>;

type Templates = ReadonlyMap<string, CompiledTemplate>;

interface ParsedFile {
  /** The template that is the text itself. */
  readonly template: CompiledTemplate;
  /** That template and those the text defines. */
  readonly templates: Templates;
}

/**
 * Limit of the cache, in characters of text. Parsed templates take about twenty times as much
 * memory.
 */
const maxParsedText = 512 * 1024;

export function createParseCache(): ParseCache {
  return createWeightedCache(maxParsedText);
}

/** Templates that can call each other by name. */
export class TemplateSet {
  readonly name: string;
  readonly #functions: FunctionTable;
  readonly #parent: TemplateSet | undefined;
  readonly #templates = new Map<string, CompiledTemplate>();
  readonly #parsed: ParseCache;

  /** Creates an empty set. Templates not found in it are looked up in `parent`. */
  constructor(options: TemplateSetOptions, parent?: TemplateSet) {
    this.name = options.name ?? 'gotpl';
    this.#functions = options.functions;
    this.#parsed = options.parsed ?? createParseCache();
    this.#parent = parent;
  }

  /**
   * Parses texts in order. Among templates with the same name, the last one that is not empty wins.
   * Throws `TemplateParseError` if a text is not a valid template.
   */
  static parse(files: Iterable<TemplateFile>, options: TemplateSetOptions): TemplateSet {
    const set = new TemplateSet(options);
    for (const file of files) set.#add(parseFile(file, options.functions).templates);
    return set;
  }

  /**
   * Returns a set with the templates of one more text, and the template that is the text itself,
   * without changing this set. Parsed texts are cached. Throws `TemplateParseError` if the text is
   * not a valid template.
   */
  extend(file: TemplateFile): { readonly set: TemplateSet; readonly template: CompiledTemplate } {
    const { template, templates } = this.#parseCached(file);
    const set = new TemplateSet({ functions: this.#functions, name: this.name, parsed: this.#parsed }, this);
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

  /** Returns a template by name. */
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
