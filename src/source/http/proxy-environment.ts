export type { ProxyEnvironment } from '../../go/http-proxy.ts';
