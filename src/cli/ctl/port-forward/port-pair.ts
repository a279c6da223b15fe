import { maxPort } from '../../../protocol/commands/port-forward.ts';

/** A port of this machine, and the port of the pod that it leads to. */
export interface PortPair {
  /** 0: the system chooses one that is free. */
  local: number;
  remote: number;
}

/** Reads `REMOTE`, `LOCAL:REMOTE` or `:REMOTE`. Throws an error if it is none of them. */
export function readPortPair(text: string): PortPair {
  const [, colon, given = '', end = ''] = /^((\d{0,5}):)?(\d{1,5})$/.exec(text) ?? [];
  const remote = Number(end);
  const local = colon === undefined ? remote : Number(given); // an empty text is 0
  if (remote > 0 && remote <= maxPort && local <= maxPort) return { local, remote };
  throw new Error(`a port must be 80, 8080:80 or :80, with numbers up to ${maxPort}, not ${JSON.stringify(text)}`);
}
