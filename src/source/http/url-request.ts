import type { Dispatcher } from 'undici';
import { trustingAgent } from './trusting-connector.ts';

export interface UrlRequestOptions extends Omit<Dispatcher.RequestOptions, 'origin' | 'path' | 'method'> {
  /** Default: `GET`. */
  method?: Dispatcher.HttpMethod;
  /** Sends the request. Default: one without a proxy. */
  dispatcher?: Dispatcher | undefined;
}

/** Sends a request over a connection that ends with it: left idle, it would outlive the command. */
export function requestFrom(
  { origin, pathname, search }: URL,
  { dispatcher = trustingAgent(), method = 'GET', ...options }: UrlRequestOptions,
): Promise<Dispatcher.ResponseData> {
  return dispatcher.request({ ...options, origin, path: `${pathname}${search}`, method, reset: true });
}
