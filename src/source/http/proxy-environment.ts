/** An environment with `HTTP_PROXY`, `HTTPS_PROXY` and `NO_PROXY`, in either case. */
export type ProxyEnvironment = Readonly<Record<string, string | undefined>>;

/** Returns the proxies of an environment. Empty texts mean no proxy and no list. */
export function proxiesOf(env: ProxyEnvironment) {
  return {
    httpProxy: env['http_proxy'] ?? env['HTTP_PROXY'] ?? '',
    httpsProxy: env['https_proxy'] ?? env['HTTPS_PROXY'] ?? '',
    noProxy: env['no_proxy'] ?? env['NO_PROXY'] ?? '',
  };
}
