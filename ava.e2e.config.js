// The files that take longest start first, so that no one waits for them in the end.
const longest = ['upgrade-agent', 'corpus-twins', 'charts'];
const rank = (path) => longest.findIndex((name) => path.endsWith(`/${name}.test.ts`)) + 1 || Infinity;
const compare = (a, b) => (a < b ? -1 : Number(a > b));

export default {
  files: ['test/e2e/**/*.test.ts'],
  extensions: ['ts'],
  workerThreads: false,
  require: [
    './test/support/fetch-cause.ts',
    './test/support/needed-client-files.ts',
    './test/support/direct-imports.ts',
  ],
  timeout: '180s',
  concurrency: 3, // many tests wait for pods longer than they work
  sortTestFiles: (a, b) => (rank(a) === rank(b) ? compare(a, b) : rank(a) - rank(b)),
};
