import type { GoFunction } from '../../go/value.ts';

/** Template functions by name. */
export type FunctionFamily = Readonly<Record<string, GoFunction>>;
