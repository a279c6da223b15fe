import importSort from 'eslint-plugin-simple-import-sort';
import tseslint from 'typescript-eslint';
import { typescriptProse } from './eslint.prose.js';

// Only the composition root and the published entry points read the real clock, randomness and
// environment, so that a render or an operation can be repeated exactly.
const hostGlobals = [
  { object: 'Date', property: 'now', message: 'Take the time from the host argument.' },
  { object: 'Math', property: 'random', message: 'Take randomness from the host argument.' },
  { object: 'process', property: 'env', message: 'Take the environment from the host argument.' },
];

const wholeZod = {
  selector: "ImportDeclaration[source.value='zod'] > ImportSpecifier",
  message: 'Write import * as z, which leaves what is not used out of the bundle.',
};

const privateAndPublic = {
  selector: ':matches(PropertyDefinition, MethodDefinition)[accessibility=/^(private|public)$/]',
  message: 'Write #name for a private member and no keyword for a public one.',
};

export default tseslint.config(
  { ignores: ['dist', 'coverage', 'test/**/fixtures', 'test/.shared', '*.js', '.dependency-cruiser.js'] },
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
    files: ['src/bin/**', 'src/compose/**', 'src/render/process-host.ts', 'tools/**', 'benchmarks/**', 'test/**'],
    rules: { 'no-restricted-properties': 'off', 'no-console': 'off' },
  },
  {
    files: ['test/**'],
    ignores: ['test/support/fast-check.ts'],
    rules: {
      '@typescript-eslint/no-non-null-assertion': 'off',
      'no-restricted-imports': [
        'error',
        { name: 'fast-check', message: 'Import test/support/fast-check.ts: its seed is fixed.' },
      ],
    },
  },
  {
    files: ['**/*.ts', '**/*.tsx'],
    plugins: { 'import-sort': importSort },
    rules: {
      // modules of Node, packages, then modules of this one, the farthest first
      'import-sort/imports': ['error', { groups: [['^node:', '^@?\\w', '^', '^\\.']] }],
      'no-restricted-syntax': ['error', privateAndPublic, wholeZod],
      // PascalCase is for a zod schema that shares its type's name.
      '@typescript-eslint/naming-convention': [
        'error',
        {
          selector: ['variable', 'parameter', 'function', 'classProperty', 'classMethod'],
          format: ['camelCase', 'StrictPascalCase'],
          leadingUnderscore: 'allow',
          trailingUnderscore: 'allow',
        },
        // Fields of packets and objects keep their names.
        { selector: ['variable', 'parameter'], modifiers: ['destructured'], format: null },
        { selector: ['classProperty', 'classMethod'], modifiers: ['requiresQuotes'], format: null },
        { selector: 'typeLike', format: ['PascalCase'] },
      ],
    },
  },
  typescriptProse,
);
