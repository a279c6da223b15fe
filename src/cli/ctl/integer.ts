import { InvalidArgumentError } from 'commander';

/** Reads the value of a flag that is a whole number, 0 or more. */
export function integer(text: string): number {
  if (/^\d{1,9}$/.test(text)) return Number(text);
  throw new InvalidArgumentError('It must be a whole number.');
}
