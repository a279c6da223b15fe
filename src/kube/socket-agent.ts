import { Agent } from 'node:http';
import { Agent as TlsAgent } from 'node:https';
import { SocksProxyAgent } from 'socks-proxy-agent';
import type { Connection } from './connection.ts';
import { definedMaterial, type TlsMaterial } from './tls-material.ts';

/** Returns what opens the connection of a WebSocket to an API server, through its proxy. */
export function socketAgent({ server, proxy }: Pick<Connection, 'server' | 'proxy'>, material: TlsMaterial): Agent {
  const tls = definedMaterial(material);
  // with `socks5h`, the proxy resolves names, as with Go
  if (proxy?.startsWith('socks5:')) return new SocksProxyAgent(proxy.replace('socks5', 'socks5h'), tls);
  const proxyEnv = { HTTP_PROXY: proxy, HTTPS_PROXY: proxy };
  return server.startsWith('http:') ? new Agent({ proxyEnv }) : new TlsAgent({ ...tls, proxyEnv });
}
