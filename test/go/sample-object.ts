import { GoObject, type Value } from '../../src/go/value.ts';

export interface SampleParts {
  readonly goType?: string;
  readonly kind?: string;
  readonly members?: readonly (readonly [string, Value])[];
  readonly text?: string;
  readonly goString?: string;
  readonly underlying?: ReturnType<GoObject['underlying']>;
  readonly contents?: ReturnType<GoObject['contents']>;
}

/** A Go object with the given parts. */
export class SampleObject extends GoObject {
  readonly goType: string;
  readonly kind: string;
  readonly #parts: SampleParts;

  constructor(parts: SampleParts) {
    super();
    this.goType = parts.goType ?? 'sample.Type';
    this.kind = parts.kind ?? 'struct';
    this.#parts = parts;
  }

  override members(): readonly (readonly [string, Value])[] {
    return this.#parts.members ?? [];
  }

  override field(name: string): Value | undefined {
    return this.#parts.members?.find(([member]) => member === name && /^[A-Z]/.test(name))?.[1];
  }

  override text(): string | undefined {
    return this.#parts.text;
  }

  override goString(): string | undefined {
    return this.#parts.goString;
  }

  override underlying(): ReturnType<GoObject['underlying']> {
    return this.#parts.underlying;
  }

  override contents(): ReturnType<GoObject['contents']> {
    return this.#parts.contents;
  }
}
