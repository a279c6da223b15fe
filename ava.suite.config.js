// For tools/suite/suite.ts, which names the files in the order in which they start.
import base from './ava.config.js';

const files = JSON.parse(process.env.SUITE_FILES ?? '[]');
const place = (path) => files.findIndex((file) => path.endsWith(`/${file}`));

export default {
  ...base,
  files,
  concurrency: 6, // many files wait longer than they work
  sortTestFiles: (a, b) => place(a) - place(b),
  require: [...base.require, './tools/suite/bundled-threads.ts', './tools/suite/own-process.ts'],
};
