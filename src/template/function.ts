import type { GoFunction } from '../go/value.ts';

/**
 * A function by which a render calls back: `include`, `tpl`, `lookup`. Templates are compiled against its parameters; what it does is
 * handed to each execution, see {@link ExecutionOptions.calls}.
 */
export type BoundFunction = Omit<GoFunction, 'call'> & { readonly call?: undefined };

/** The functions that templates can call, by name. */
export type FunctionTable = ReadonlyMap<string, GoFunction | BoundFunction>;

/** What the bound functions do in one execution, by name. */
export type BoundCalls = Readonly<Record<string, GoFunction['call']>>;
