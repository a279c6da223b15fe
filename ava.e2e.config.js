export default {
  files: ['test/e2e/**/*.test.ts'],
  extensions: ['ts'],
  workerThreads: false,
  require: ['./test/support/fetch-cause.ts', './test/support/needed-client-files.ts'],
  timeout: '180s',
};
