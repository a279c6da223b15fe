import { assign } from './frame.ts';
import type { Operand } from './operand.ts';
import type { Scope } from './scope.ts';

/** `set`: changes the variable where it is, or makes one here. */
export function setVariable(scope: Scope, name: string, operand: Operand): void {
  assign(scope.frame, name, operand);
  share(scope, name, operand);
}

/** Makes a name stand for something here: a macro, or what was imported. */
export function define(scope: Scope, name: string, operand: Operand): void {
  scope.frame.variables.set(name, operand);
  share(scope, name, operand);
}

/** What stands at the top of a template is seen by its macros, and, but for names with `_`, by templates that import it. */
function share({ frame, state }: Scope, name: string, operand: Operand): void {
  if (!frame.topLevel) return;
  state.variables.set(name, operand);
  if (!name.startsWith('_')) state.exported.add(name);
}
