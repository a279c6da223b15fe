import type { GoFunction } from '../go/value.ts';

/**
 * A function bound to a render: `include`, `tpl`, `lookup`. Templates are compiled against its
 * parameters; each execution provides the implementation, see {@link ExecutionOptions.calls}.
 */
export type BoundFunction = Omit<GoFunction, 'call'> & { readonly call?: undefined };

/** Functions available to templates, by name. */
export type FunctionTable = ReadonlyMap<string, GoFunction | BoundFunction>;

/** Implementations of the bound functions for one execution, by name. */
export type BoundCalls = Readonly<Record<string, GoFunction['call']>>;
