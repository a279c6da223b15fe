/** An environment with `HTTP_PROXY`, `HTTPS_PROXY` and `NO_PROXY`, in either case. */
export type ProxyEnvironment = Readonly<Record<string, string | undefined>>;
