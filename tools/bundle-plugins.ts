// Plugins for esbuild that keep out of the bundle what the program does not use.
import type { Plugin } from 'esbuild';

/** The package does not say so, but no file of it does anything when it is loaded. */
export const unusedClientFiles: Plugin = {
  name: 'leave out unused files of @kubernetes/client-node',
  setup(build) {
    build.onResolve({ filter: /./ }, async ({ path, resolveDir, kind, importer, pluginData }) => {
      if (pluginData === unusedClientFiles || !`${resolveDir}/${path}`.includes('@kubernetes/client-node')) return null;
      const found = await build.resolve(path, { resolveDir, kind, importer, pluginData: unusedClientFiles });
      return found.path.includes('@kubernetes/client-node') ? { ...found, sideEffects: false } : found;
    });
  },
};

/** As an imported module, `node:http` loads Node's own fetch and WebSocket, used or not. */
export const plainHttp: Plugin = {
  name: 'load node:http without fetch and WebSocket',
  setup(build) {
    build.onResolve({ filter: /^(?:node:)?http$/ }, ({ kind }) =>
      kind === 'import-statement' ? { path: 'http', namespace: 'plain-http' } : null,
    );
    build.onLoad({ filter: /./, namespace: 'plain-http' }, () => ({
      contents: "module.exports = process.getBuiltinModule('node:http')",
    }));
  },
};

/**
 * The parts of undici that the program uses. Its index also loads fetch, caches, WebSocket and
 * mocks, which take 35 ms and 14 MiB.
 */
export const undiciParts: Plugin = {
  name: 'leave out unused parts of undici',
  setup(build) {
    build.onResolve({ filter: /^undici$/ }, ({ path }) => ({ path, namespace: 'undici-parts' }));
    build.onLoad({ filter: /./, namespace: 'undici-parts' }, () => ({
      contents: `
        import api from 'undici/lib/api/index.js';
        import Dispatcher from 'undici/lib/dispatcher/dispatcher.js';
        import retry from 'undici/lib/interceptor/retry.js';
        export { default as buildConnector } from 'undici/lib/core/connect.js';
        export { default as Agent } from 'undici/lib/dispatcher/agent.js';
        export { default as EnvHttpProxyAgent } from 'undici/lib/dispatcher/env-http-proxy-agent.js';
        export { default as ProxyAgent } from 'undici/lib/dispatcher/proxy-agent.js';
        export const { fetch } = globalThis;
        Object.assign(Dispatcher.prototype, api);
        export const interceptors = { retry };`,
      resolveDir: import.meta.dirname,
    }));
  },
};

/**
 * @kubernetes/client-node makes agents for the proxy of a kubeconfig, which are not used: requests
 * are sent by `src/kube/connection.ts`.
 */
export const unusedProxies: Plugin = {
  name: 'leave out the proxies of @kubernetes/client-node',
  setup(build) {
    build.onResolve({ filter: /^(?:socks|socks-proxy-agent|hpagent)$/ }, ({ path, importer }) =>
      importer.includes('@kubernetes/client-node') ? { path, namespace: 'unused-proxies' } : null,
    );
    build.onLoad({ filter: /./, namespace: 'unused-proxies' }, () => ({
      contents: `
        export class SocksClient {}
        export class SocksProxyAgent {}
        export class HttpProxyAgent {}
        export class HttpsProxyAgent {}`,
    }));
  },
};
