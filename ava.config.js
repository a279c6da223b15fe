export default {
  files: ['test/**/*.test.ts', '!test/e2e/**'],
  extensions: ['ts'],
  workerThreads: false,
  require: [
    './test/support/fetch-cause.ts',
    './test/support/needed-client-files.ts',
    './test/support/direct-imports.ts',
  ],
  timeout: '60s',
  concurrency: 4,
};
