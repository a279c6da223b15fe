import { assign } from './frame.ts';
import type { Operand } from './operand.ts';
import type { Scope } from './scope.ts';

/** Implements `set`: changes an existing variable, or defines one in this frame. */
export function setVariable(scope: Scope, name: string, operand: Operand): void {
  assign(scope.frame, name, operand);
  share(scope, name, operand);
}

/** Defines a name in this frame, for a macro or an import. */
export function define(scope: Scope, name: string, operand: Operand): void {
  scope.frame.variables.set(name, operand);
  share(scope, name, operand);
}

/**
 * Makes a top-level name visible to macros of the template, and to templates that import it unless
 * it begins with `_`.
 */
function share({ frame, state }: Scope, name: string, operand: Operand): void {
  if (!frame.topLevel) return;
  state.variables.set(name, operand);
  if (!name.startsWith('_')) state.exported.add(name);
}
