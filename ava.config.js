export default {
  files: ['test/**/*.test.ts', '!test/e2e/**'],
  extensions: ['ts'],
  workerThreads: false,
  timeout: '60s',
  concurrency: 4,
};
