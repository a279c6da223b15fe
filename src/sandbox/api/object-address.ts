import type { ResourceType } from '../store/resource-type.ts';

/** A request for a resource that exists, with what its URL says. */
export interface Target {
  type: ResourceType;
  namespace: string;
  name: string;
  subresource?: string;
}
