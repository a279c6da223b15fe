import type { FunctionFamily } from './support/family.ts';

/**
 * Sprig's DNS lookup without a network, as in Helm without `--enable-dns`: the result is empty. The
 * engines have one that resolves names.
 */
export const networkFunctions: FunctionFamily = {
  getHostByName: { params: ['string'], call: () => '' },
};
