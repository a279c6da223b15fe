import type { ResourceType } from '../store/resource-type.ts';

/** The object, or its subresource, that a URL names. */
export interface ObjectAddress {
  type: ResourceType;
  namespace: string;
  name: string;
  subresource?: string;
}
