import type { GoFunction } from '../../go/value.ts';

type Signature = Pick<GoFunction, 'params' | 'variadic'>;

/** The type of the parameter that takes the argument at `index`. */
export function parameterType({ params }: Signature, index: number): string {
  return params[index] ?? params.at(-1) ?? 'interface {}';
}

/** Go's text where a function gets too many or too few arguments. `piped`: one more comes through the pipe. */
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
