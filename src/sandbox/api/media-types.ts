import { unsupportedMediaType } from '../api-error.ts';
import type { ApiRequest } from './request.ts';

/** Fails with 415 for a body that is no JSON. A request that names no type is taken as JSON. */
export function requireJson(request: ApiRequest): void {
  if (request.contentType !== '' && request.contentType !== 'application/json') throw unsupportedMediaType();
}
