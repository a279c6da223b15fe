/** Receives messages that Helm logs as INFO while it loads a chart. */
export type Notice = (message: string, attributes?: Readonly<Record<string, string>>) => void;
