import type { Host } from '../go/host.ts';
import type { GoFunction } from '../go/value.ts';
import { conversionFunctions, reflectionFunctions } from './conversion.ts';
import { digestFunctions, encryptionFunctions, passwordFunctions } from './crypto.ts';
import { certificateFunctions } from './crypto-certificates.ts';
import { dateFunctions } from './date.ts';
import { defaultFunctions } from './defaults.ts';
import { dictFunctions } from './dicts.ts';
import { encodingFunctions } from './encoding.ts';
import { jsonFunctions } from './json.ts';
import { defaultLimits, type FunctionLimits } from './limits.ts';
import { listFunctions } from './lists.ts';
import { floatMathFunctions, mathFunctions } from './math.ts';
import { pathFunctions } from './paths.ts';
import { randomFunctions } from './random.ts';
import { regexFunctions } from './regex.ts';
import { versionFunctions } from './semver.ts';
import { quotingFunctions, stringFunctions } from './strings.ts';
import { abbreviationFunctions } from './strings-abbreviation.ts';
import { casingFunctions } from './strings-casing.ts';
import { splittingFunctions } from './strings-splitting.ts';
import { tomlFunctions } from './toml.ts';
import { networkFunctions, urlFunctions } from './url.ts';
import { yamlFunctions } from './yaml.ts';

/**
 * Returns the functions that Helm's templates may call, except those that belong to a render:
 * `include`, `tpl`, `required`, `fail` and `lookup`.
 * @param host time, randomness and time zone
 * @param limits limits for a single call; exceeding one throws a `LimitError`
 */
export function functionMap(host: Host, limits: FunctionLimits = defaultLimits): ReadonlyMap<string, GoFunction> {
  return new Map(
    [
      stringFunctions(limits),
      casingFunctions,
      abbreviationFunctions(limits),
      quotingFunctions(limits),
      splittingFunctions(limits),
      encodingFunctions,
      regexFunctions(limits),
      defaultFunctions,
      conversionFunctions,
      reflectionFunctions,
      listFunctions(limits),
      dictFunctions(host),
      mathFunctions(limits),
      jsonFunctions,
      yamlFunctions(limits),
      tomlFunctions(host),
      randomFunctions(host, limits),
      dateFunctions(host),
      versionFunctions(),
      digestFunctions,
      certificateFunctions(host),
      passwordFunctions(host),
      encryptionFunctions(host),
      pathFunctions,
      urlFunctions,
      networkFunctions,
      floatMathFunctions,
    ].flatMap((family) => Object.entries(family)),
  );
}
