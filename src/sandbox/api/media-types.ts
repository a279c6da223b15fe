import { unsupportedMediaType } from '../api-error.ts';
import type { ApiRequest } from './request.ts';

/**
 * Throws a 415 if the content type is not JSON. A request without a content type counts as JSON.
 */
export function requireJson(request: ApiRequest): void {
  if (request.contentType !== '' && request.contentType !== 'application/json') throw unsupportedMediaType();
}
