import type { GoFunction } from '../../go/value.ts';

/** Template functions by the names that templates call them by. */
export type FunctionFamily = Readonly<Record<string, GoFunction>>;
