import { sortedKeys, fromBytes } from '../../go/text.ts';
import { GoError, GoObject, Slice, type GoFunction, type Value } from '../../go/value.ts';
import type { ChartFile } from '../../chart/chart.ts';
import { writeYaml } from '../../yaml/write.ts';
import { compileGlob } from './glob.ts';
import { baseName } from './template-path.ts';

/**
 * Returns the value of `.Files`: Helm's `engine.files`, a map of bytes by path with methods
 * (pkg/engine/files.go).
 */
export function filesObject(files: readonly ChartFile[]): GoObject {
  return new FilesObject(new Map(files.map(({ name, data }) => [name, data])));
}

class FilesObject extends GoObject {
  readonly goType = 'engine.files';
  readonly kind = 'map';
  readonly #files: ReadonlyMap<string, Uint8Array>;

  constructor(files: ReadonlyMap<string, Uint8Array>) {
    super();
    this.#files = files;
  }

  override contents(): ReadonlyMap<string, Value> {
    return this.#files;
  }

  override elementType(): string {
    return '[]uint8';
  }

  override method(name: string): GoFunction | undefined {
    switch (name) {
      case 'Get':
        return { params: ['string'], call: (file: string) => fromBytes(this.#bytes(file)) };
      case 'GetBytes':
        return { params: ['string'], call: (file: string) => this.#bytes(file) };
      case 'Glob':
        return { params: ['string'], call: (pattern: string) => this.#glob(pattern) };
      case 'AsConfig':
        return { params: [], call: () => this.#byBaseName(fromBytes) };
      case 'AsSecrets':
        return { params: [], call: () => this.#byBaseName((data) => Buffer.from(data).toString('base64')) };
      case 'Lines':
        return { params: ['string'], call: (file: string) => this.#lines(file) };
      default:
        return undefined;
    }
  }

  #bytes(name: string): Uint8Array {
    return this.#files.get(name) ?? new Uint8Array();
  }

  #glob(pattern: string): GoObject {
    const matches = compileGlob(pattern);
    return new FilesObject(new Map([...this.#files].filter(([name]) => matches(name))));
  }

  #byBaseName(text: (data: Uint8Array) => string): string {
    const entries = sortedKeys(this.#files).map((name): [string, Value] => [baseName(name), text(this.#bytes(name))]);
    return writeYaml(new Map(entries)).replace(/\n$/, '');
  }

  #lines(name: string): Slice {
    const data = this.#files.get(name);
    if (data === undefined) return new Slice('string', []);
    const text = fromBytes(data);
    if (text === '') throw new GoError('runtime error: index out of range [-1]');
    return new Slice('string', text.replace(/\n$/, '').split('\n'));
  }
}
