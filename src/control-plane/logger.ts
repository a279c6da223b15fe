/** The part of pino's logger that the control plane uses. */
export interface Logger {
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
}

export const silentLog: Logger = { info: () => undefined, warn: () => undefined };
