import type { Dispatcher } from 'undici';
import { abortable } from '../../async/index.ts';
import { trustingAgent } from './trusting-connector.ts';

export interface UrlRequestOptions extends Omit<Dispatcher.RequestOptions, 'origin' | 'path' | 'method' | 'signal'> {
  /** Default: `GET`. */
  method?: Dispatcher.HttpMethod;
  /** Sends the request. Default: one without a proxy. */
  dispatcher?: Dispatcher | undefined;
  signal?: AbortSignal;
}

/** Sends a request over a connection that ends with it: left idle, it would outlive the command. */
export async function requestFrom(
  { origin, pathname, search }: URL,
  { dispatcher = trustingAgent(), method = 'GET', ...options }: UrlRequestOptions,
): Promise<Dispatcher.ResponseData> {
  const responded = dispatcher.request({ ...options, origin, path: `${pathname}${search}`, method, reset: true });
  // undici heeds the signal only when there is a connection, for which a proxy may take long
  return await abortable(responded, options.signal);
}
