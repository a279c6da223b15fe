import type { Place } from './place.ts';
import { checkLength } from './run.ts';
import type { Scope } from './scope.ts';

/** Adds to what the template has written. */
export function write({ output, page }: Scope, text: string, place: Place): void {
  checkLength(page.run, output.text.length + text.length, place);
  output.text += text;
}
