// Starts the threads of the program from its bundle. Threads have an empty environment, and so no
// compile cache: each would read and compile 300 files. ava loads this before a test file.
import { existsSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { basename, join, resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import threads, { type WorkerOptions } from 'node:worker_threads';

const bundle = process.env['SUITE_PROGRAM'];
const source = pathToFileURL(`${resolve('src')}/`).href;

/** Returns the bundled module of a thread, if it is one of the program. */
function bundled(module: string | URL): string | URL {
  if (bundle === undefined || !(module instanceof URL) || !module.href.startsWith(source)) return module;
  const file = join(bundle, `${basename(fileURLToPath(module), '.ts')}.mjs`);
  return existsSync(file) ? pathToFileURL(file) : module;
}

threads.Worker = class extends threads.Worker {
  constructor(module: string | URL, options?: WorkerOptions) {
    super(bundled(module), options);
  }
};
syncBuiltinESMExports();
