import type { JsonObject } from '../../objects/fields.ts';

/** Formats the steps of a field set for messages, such as `.spec.containers[name="web"].image`. */
export function formatSteps(steps: readonly string[]): string {
  return steps
    .filter((step) => step !== '.')
    .map(formatStep)
    .join('');
}

function formatStep(step: string): string {
  const value = step.slice(2);
  switch (step[0]) {
    case 'f':
      return `.${value}`;
    case 'k': {
      const keys = JSON.parse(value) as JsonObject; // made by elementStep
      return `[${Object.entries(keys)
        .map(([key, item]) => `${key}=${JSON.stringify(item)}`)
        .join(',')}]`;
    }
    case 'v':
      return `[=${value}]`;
    default:
      return `[${value}]`;
  }
}
