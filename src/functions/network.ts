import type { FunctionFamily } from './support/family.ts';

/** Sprig's look-up of host names. A render asks no network, so it finds nothing. */
export const networkFunctions: FunctionFamily = {
  getHostByName: { params: ['string'], call: () => '' },
};
