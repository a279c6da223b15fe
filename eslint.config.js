import tseslint from 'typescript-eslint';

// The real clock, randomness and environment are supplied by the composition root and published entry points only, so that
// a render or an operation can be repeated exactly.
const hostGlobals = [
  { object: 'Date', property: 'now', message: 'Take the time from the host that is handed in.' },
  { object: 'Math', property: 'random', message: 'Take randomness from the host that is handed in.' },
  { object: 'process', property: 'env', message: 'Take the environment from the host that is handed in.' },
];

export default tseslint.config(
  { ignores: ['dist', 'coverage', 'test/**/fixtures', '*.config.js', '.dependency-cruiser.js'] },
  ...tseslint.configs.strictTypeChecked,
  {
    languageOptions: { parserOptions: { projectService: true } },
    rules: {
      '@typescript-eslint/restrict-template-expressions': ['error', { allowNumber: true, allowBoolean: true }],
      '@typescript-eslint/switch-exhaustiveness-check': ['error', { considerDefaultExhaustiveForUnions: true }],
      '@typescript-eslint/consistent-type-imports': 'error',
      '@typescript-eslint/prefer-readonly': 'error',
      '@typescript-eslint/no-confusing-void-expression': ['error', { ignoreArrowShorthand: true }],
      '@typescript-eslint/no-unused-vars': ['error', { argsIgnorePattern: '^_' }],
      eqeqeq: 'error',
      'no-console': 'error',
      'no-restricted-properties': ['error', ...hostGlobals],
    },
  },
  {
    files: ['src/bin/**', 'src/render/process-host.ts', 'tools/**', 'benchmarks/**', 'test/**'],
    rules: { 'no-restricted-properties': 'off', 'no-console': 'off' },
  },
  {
    files: ['test/**'],
    // ava's assertion results are of no interest when they are the body of an arrow function
    rules: { '@typescript-eslint/no-non-null-assertion': 'off' },
  },
);
