import { withoutNames } from '../namespace-state.ts';
import { wantedInErrors, wantedInOutput } from '../wanted-differences.ts';

/** Returns what a command printed, without what differs in each run or on purpose. */
export function printed(stdout: string, namespace: string): string {
  const text = withoutNames(stdout, namespace)
    .replace(/[A-Z][a-z]{2} [A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d \d{4}/g, 'TIME')
    .replace(/\d{4}-\d\d-\d\d \d\d:\d\d:\d\d(\.\d+)? [+-]\d{4} \w+/g, 'TIME')
    .replace(/TIME +(?=\t)/g, 'TIME')
    .replace(/UPDATED +(?=\t)/g, 'UPDATED')
    .replace(/"(createdAt|modifiedAt)":"\d+"/g, '"$1":"TIME"')
    .replace(/^(LAST DEPLOYED|Last Started|Last Completed): .*$/gm, '$1: TIME')
    .replace(/"(first_deployed|last_deployed|started_at|completed_at|updated)":"[^"]*"/g, '"$1":"TIME"');
  return wantedInOutput.reduce((rest, { pattern }) => rest.replace(pattern, ''), text);
}

/** Returns the error that a command printed, without what differs in each run or on purpose. */
export function errorIn(stderr: string, namespace: string): string {
  const [, text = ''] = /^Error: (.*)/ms.exec(stderr) ?? [];
  return comparableError(text, namespace);
}

/** Returns the message of an error, without what differs in each run or on purpose. */
export function comparableError(message: string, namespace: string): string {
  const text = `${withoutNames(message, namespace).trimEnd()}\n`;
  return wantedInErrors.reduce((error, { pattern }) => error.replace(pattern, ''), text).trimEnd();
}
