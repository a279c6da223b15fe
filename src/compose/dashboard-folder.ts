import { extname } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The folder of the dashboard: that beside the program, or for its sources, the one built last. */
export const dashboardFolder = fileURLToPath(
  new URL(extname(import.meta.url) === '.ts' ? '../../dist/program/dashboard' : './dashboard', import.meta.url),
);
