import { GoError, type Value } from '../go/value.ts';
import { readYamlList, readYamlMap } from '../yaml/read.ts';
import { writeYaml, writeYamlPretty } from '../yaml/write.ts';
import { YamlError } from '../yaml/yaml-error.ts';
import type { FunctionLimits } from './limits.ts';
import type { FunctionFamily } from './support/family.ts';
import { recover } from './support/recover.ts';

/**
 * Helm's YAML functions. Without `must`, encoders return an empty string on error, and decoders
 * return the error's text.
 */
export function yamlFunctions({ aliasedNodes }: FunctionLimits): FunctionFamily {
  return {
    toYaml: {
      params: ['interface {}'],
      call: (value: Value) =>
        orElse(
          () => withoutLineEnd(writeYaml(value)),
          () => '',
        ),
    },
    toYamlPretty: {
      params: ['interface {}'],
      call: (value: Value) =>
        orElse(
          () => withoutLineEnd(writeYamlPretty(value)),
          () => '',
        ),
    },
    mustToYaml: {
      params: ['interface {}'],
      call: (value: Value) =>
        orElse(
          () => withoutLineEnd(writeYaml(value)),
          (message) => {
            throw new GoError(message);
          },
        ),
    },
    fromYaml: {
      params: ['string'],
      call: (text: string) =>
        orElse<Value>(
          () => readYamlMap(text, aliasedNodes) ?? new Map<string, Value>(),
          (message) => new Map([['Error', message]]),
        ),
    },
    fromYamlArray: {
      params: ['string'],
      call: (text: string) =>
        orElse<Value>(
          () => readYamlList(text, aliasedNodes) ?? [],
          (message) => [message],
        ),
    },
  };
}

function withoutLineEnd(text: string): string {
  return text.endsWith('\n') ? text.slice(0, -1) : text;
}

/** Like {@link recover}, but YAML errors count as Go errors. */
function orElse<T>(run: () => T, fallback: (message: string) => T): T {
  return recover(() => {
    try {
      return run();
    } catch (error) {
      throw error instanceof YamlError ? new GoError(error.message) : error;
    }
  }, fallback);
}
