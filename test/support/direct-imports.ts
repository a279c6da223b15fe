// Lets the files of the project import each other by their paths, which a process of tests does
// some thousand times.
import { pathToFileURL } from 'node:url';
import { importDirectly } from '../../src/bin/direct-imports.ts';

importDirectly(pathToFileURL(`${process.cwd()}/`).href);
