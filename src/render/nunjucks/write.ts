import type { Position } from './position.ts';
import { checkLength } from './run.ts';
import type { Scope } from './scope.ts';

/** Appends a text to the output. Throws RenderError if the output becomes too long. */
export function write({ output, page }: Scope, text: string, position: Position): void {
  checkLength(page.run, output.text.length + text.length, position);
  output.text += text;
}
