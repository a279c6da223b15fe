/** An import of another file: `./chunk-1.mjs` in a bundle, `../cli/program.ts` in the source. */
const pathOfFile = /^\.{1,2}\/.*\.(mjs|ts)$/;

/**
 * Lets the files of a folder import each other by their paths. Node looks at the file system for
 * each import, which is a tenth of the time of a command that imports a hundred files and ends.
 * Packages in `node_modules` are found as usual.
 * @param folder URL of the folder, which ends with a slash
 */
export function importDirectly(folder: string): void {
  const { registerHooks } = process.getBuiltinModule('node:module'); // older versions cannot import it
  registerHooks({
    resolve(specifier, context, next) {
      const { parentURL = '' } = context;
      const [, extension] = pathOfFile.exec(specifier) ?? [];
      const isOfFolder = parentURL.startsWith(folder) && !parentURL.includes('/node_modules/', folder.length - 1);
      if (extension === undefined || !isOfFolder) return next(specifier, context);
      const format = extension === 'ts' ? 'module-typescript' : 'module';
      return { url: new URL(specifier, parentURL).href, format, shortCircuit: true };
    },
  });
}
