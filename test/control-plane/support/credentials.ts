import type { Authenticate } from '../../../src/control-plane/index.ts';
import { bearerToken } from '../../../src/net/authorization.ts';

/** Returns an `authenticate` that knows the tokens of agents, by their ids. */
export function tokensOf(tokens: Readonly<Record<string, string>>): Authenticate {
  return ({ headers }) => {
    const given = bearerToken(headers.authorization);
    const [agentId] = Object.entries(tokens).find(([, token]) => token === given) ?? [];
    return agentId === undefined ? undefined : { agentId };
  };
}
