import type { GoFunction } from '../../go/value.ts';

type Signature = Pick<GoFunction, 'params' | 'variadic'>;

/** Returns the type of the parameter for the argument at `index`. */
export function parameterType({ params }: Signature, index: number): string {
  return params[index] ?? params.at(-1) ?? 'interface {}';
}

/**
 * Returns Go's error if a function gets too many or too few arguments. `piped`: there is one more
 * argument from the pipe.
 */
export function argumentCountError(
  signature: Signature,
  name: string,
  count: number,
  piped: boolean,
): string | undefined {
  const total = count + (piped ? 1 : 0);
  const { params, variadic = false } = signature;
  if (variadic) {
    const fixed = params.length - 1;
    return total < fixed ? `wrong number of args for ${name}: want at least ${fixed} got ${count}` : undefined;
  }
  return total === params.length ? undefined : `wrong number of args for ${name}: want ${params.length} got ${total}`;
}
