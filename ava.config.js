export default {
  files: ['test/**/*.test.ts', '!test/e2e/**'],
  extensions: ['ts'],
  workerThreads: false,
  require: ['./test/support/fetch-cause.ts'],
  timeout: '60s',
  concurrency: 4,
};
