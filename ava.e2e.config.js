export default {
  files: ['test/e2e/**/*.test.ts'],
  extensions: ['ts'],
  workerThreads: false,
  require: ['./test/support/fetch-cause.ts'],
  timeout: '180s',
};
