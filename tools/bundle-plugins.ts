// Plugins for esbuild that keep out of the bundle what the program does not use.
import { builtinModules, isBuiltin } from 'node:module';
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

/**
 * Node's own modules, without an import: an imported one reads all its fields, and some of these
 * load much more when they are read, such as Web Crypto and Node's fetch. Each refers to all
 * others, so that esbuild puts them in one file.
 */
export const plainBuiltins: Plugin = {
  name: "load Node's modules without importing them",
  setup(build) {
    const all = builtinModules.filter((path) => !path.startsWith('_') && !path.startsWith('node:'));
    build.onResolve({ filter: /./ }, ({ path, kind }) =>
      isBuiltin(path) && kind !== 'dynamic-import'
        ? { path: path.replace(/^node:/, ''), namespace: 'plain-builtins' }
        : null,
    );
    build.onResolve({ filter: /^all-builtins$/ }, ({ path }) => ({ path, namespace: 'plain-builtins' }));
    build.onLoad({ filter: /./, namespace: 'plain-builtins' }, ({ path }) => ({
      contents:
        path === 'all-builtins'
          ? all.map((name) => `require(${JSON.stringify(name)});`).join('')
          : `module.exports = process.getBuiltinModule(${JSON.stringify(`node:${path}`)}) ?? require('all-builtins')`,
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
        export { default as Pool } from 'undici/lib/dispatcher/pool.js';
        export { default as ProxyAgent } from 'undici/lib/dispatcher/proxy-agent.js';
        export const { fetch } = globalThis;
        Object.assign(Dispatcher.prototype, api);
        export const interceptors = { retry };`,
      resolveDir: import.meta.dirname,
    }));
  },
};

/**
 * The parts of prom-client that the program uses. Its index also loads node:cluster, a push gateway
 * and the default metrics, which take 8 MiB.
 */
export const promClientParts: Plugin = {
  name: 'leave out unused parts of prom-client',
  setup(build) {
    build.onResolve({ filter: /^prom-client$/ }, ({ path }) => ({ path, namespace: 'prom-client-parts' }));
    build.onLoad({ filter: /./, namespace: 'prom-client-parts' }, () => ({
      contents: `
        export { default as Counter } from 'prom-client/lib/counter.js';
        export { default as Gauge } from 'prom-client/lib/gauge.js';
        export { default as Histogram } from 'prom-client/lib/histogram.js';
        export { default as Registry } from 'prom-client/lib/registry.js';`,
      resolveDir: import.meta.dirname,
    }));
  },
};

/**
 * @kubernetes/client-node makes agents for the proxy of a kubeconfig, which are not used:
 * `src/kube/connection.ts` and `src/kube/socket-agent.ts` make their own.
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
