export default {
  files: ['test/e2e/**/*.test.ts'],
  extensions: ['ts'],
  workerThreads: false,
  timeout: '180s',
};
