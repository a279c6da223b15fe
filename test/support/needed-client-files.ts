// Leaves out the API classes of @kubernetes/client-node, as tools/bundle-plugins.ts does for the
// program. They are 700 files, which take 0.7 s of each process, and nothing uses them.
import { registerHooks } from 'node:module';

const configModule = /\/@kubernetes\/client-node\/dist\/config\.js$/;

registerHooks({
  resolve(specifier, context, next) {
    if (specifier === '@kubernetes/client-node') return next(`${specifier}/dist/config.js`, context);
    const { parentURL = '' } = context;
    if (specifier !== './gen/index.js' || !configModule.test(parentURL)) return next(specifier, context);
    const source = `
      export { createConfiguration } from ${JSON.stringify(new URL('gen/configuration.js', parentURL))};
      export { ServerConfiguration } from ${JSON.stringify(new URL('gen/servers.js', parentURL))};`;
    return { url: `data:text/javascript,${encodeURIComponent(source)}`, shortCircuit: true };
  },
});
