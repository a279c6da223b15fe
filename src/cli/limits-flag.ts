/** The flag for the limits of `run` and `template`. Its value is read by `limits.ts`. */
export const limitsFlag = 'limits';
export const limitsDescription = 'limits for charts and rendering: steps=1000000,memoryMb=128; see docs/limits.md';
