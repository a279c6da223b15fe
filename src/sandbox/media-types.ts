import { unsupportedMediaType } from './api-error.ts';
import type { ApiRequest } from './request.ts';

/** Fails with 415 for a body of another type. A request without a type is taken as the first. */
export function requireMediaType(request: ApiRequest, accepted: string[]): void {
  if (request.contentType !== '' && !accepted.includes(request.contentType)) throw unsupportedMediaType(accepted);
}
