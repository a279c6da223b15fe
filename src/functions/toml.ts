import { type Host, onceValue } from '../go/host.ts';
import type { Value } from '../go/value.ts';
import type { FunctionFamily } from './support/family.ts';
import { localZone } from './support/local-zone.ts';
import { encodeToml, TomlEncodeError } from './toml/encode.ts';
import { TomlError } from './toml/error.ts';
import { parseToml } from './toml/parse.ts';

/** Helm's TOML functions. Without `must`, they return the text of the error. */
export function tomlFunctions(host: Host): FunctionFamily {
  const local = onceValue(() => localZone(host));
  return {
    toToml: { params: ['interface {}'], call: toToml },
    mustToToml: { params: ['interface {}'], call: encodeToml },
    fromToml: {
      params: ['string'],
      call: (text: string): Value => {
        try {
          return parseToml(text, local());
        } catch (error) {
          if (error instanceof TomlError) return new Map([['Error', error.message]]);
          throw error;
        }
      },
    },
  };
}

function toToml(value: Value): string {
  try {
    return encodeToml(value);
  } catch (error) {
    if (error instanceof TomlEncodeError) return error.message;
    throw error;
  }
}
