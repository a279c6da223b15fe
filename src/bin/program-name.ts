/**
 * Returns the words that start this program in a shell. In a clone that is an npm script, which npm
 * names in the environment.
 */
export function programName(env: Readonly<Record<string, string | undefined>>): string {
  switch (env['npm_lifecycle_event']) {
    case 'helm-agent':
      return 'npm run -s helm-agent --';
    case 'npx':
      return 'npx helm-agent';
    default:
      return 'helm-agent';
  }
}
