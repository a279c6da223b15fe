import type { Host } from '../go/host.ts';
import type { GoFunction } from '../go/value.ts';
import { abbreviationFunctions } from './abbreviation.ts';
import { casingFunctions } from './casing.ts';
import { conversionFunctions } from './conversion.ts';
import { defaultFunctions } from './defaults.ts';
import { dictFunctions } from './dicts.ts';
import { encodingFunctions } from './encodings.ts';
import { floatMathFunctions } from './float-maths.ts';
import { defaultLimits, type FunctionLimits } from './limits.ts';
import { listFunctions } from './lists.ts';
import { mathFunctions } from './maths.ts';
import { quotingFunctions } from './quoting.ts';
import { reflectionFunctions } from './reflection.ts';
import { regexFunctions } from './regex.ts';
import { splittingFunctions } from './splitting.ts';
import { stringFunctions } from './strings.ts';

/**
 * The functions that Helm's templates may call, apart from those that belong to a render (`include`, `tpl`, `required`, `fail`, `lookup`).
 * @param host gives time, randomness and time zone
 * @param limits what one call may make at most; beyond it is a `FunctionLimitError`
 */
export function functionMap(_host: Host, limits: FunctionLimits = defaultLimits): ReadonlyMap<string, GoFunction> {
  return new Map(
    [
      stringFunctions(limits),
      casingFunctions,
      abbreviationFunctions,
      quotingFunctions(limits),
      splittingFunctions,
      encodingFunctions,
      regexFunctions(),
      defaultFunctions,
      conversionFunctions,
      reflectionFunctions,
      listFunctions,
      dictFunctions,
      mathFunctions(limits),
      floatMathFunctions,
    ].flatMap((family) => Object.entries(family)),
  );
}
