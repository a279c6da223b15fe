import type { FunctionFamily } from './support/family.ts';

/**
 * Sprig's DNS lookup. Rendering never uses the network, so the result is always empty, as in Helm
 * without DNS.
 */
export const networkFunctions: FunctionFamily = {
  getHostByName: { params: ['string'], call: () => '' },
};
