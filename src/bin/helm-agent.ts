#!/usr/bin/env node
// Checks the version of Node before it loads anything else: the program does not even parse on an
// older one. This file itself uses only what every Node with ES modules understands.
import { freeBuffersEarly, passesBytes } from './buffer-garbage.ts';
import { enableCompileCache } from './compile-cache.ts';
import { importDirectly } from './direct-imports.ts';

const required = 24;
const [major] = process.versions.node.split('.');

if (Number(major) < required) {
  process.stderr.write(
    `helm-agent needs Node ${required} or newer, but this is Node ${process.versions.node}; see https://nodejs.org\n`,
  );
  process.exitCode = 1;
} else {
  if (passesBytes(process.argv.slice(2))) freeBuffersEarly();
  enableCompileCache(process.argv[2], process.env);
  importDirectly(new URL(import.meta.url.endsWith('.ts') ? '../' : './', import.meta.url).href);
  // a command of helm starts faster without the rest of the program
  await (process.argv[2] === 'helm' ? import('./run-helm.ts') : import('./main.ts'));
}
