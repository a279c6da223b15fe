// Reports the time of a test file with a process of its own. ava loads this before the file.
import { relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import test from 'ava';
import { reportFile } from './file-times.ts';

const file = relative('.', fileURLToPath(test.meta.file));
if (file.endsWith('.test.ts')) process.once('exit', () => reportFile(file, performance.now()));
