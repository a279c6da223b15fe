import type { Evidence } from '../../protocol/evidence.ts';
import { oneLine, printable } from '../text.ts';

type Resource = Evidence['resources'][number];
type Container = Resource['pods'][number]['containers'][number];

/** Number of events of a resource that are shown. */
const maxEvents = 5;

/** Returns the lines that show why a wait has failed: events, containers and the ends of logs. */
export function evidenceLines({ resources }: Evidence): string[] {
  return resources.flatMap((resource) => [
    oneLine(`${resource.kind}/${resource.name} ${resource.status}: ${resource.reason ?? 'not ready'}`),
    ...warningsOf(resource).map((line) => `  ${oneLine(line)}`),
    ...resource.pods.flatMap(({ name, containers }) =>
      containers.flatMap((container) => containerLines(name, container)).map((line) => `  ${line}`),
    ),
  ]);
}

function warningsOf({ events }: Resource): string[] {
  return events
    .filter(({ type }) => type === 'Warning')
    .slice(-maxEvents)
    .map(
      ({ reason, message, object, count }) => `${object}: ${reason}: ${message}${count > 1 ? ` (${count} times)` : ''}`,
    );
}

function containerLines(pod: string, { name, state, log, previousLog }: Container): string[] {
  const shown = log ?? previousLog;
  const title = oneLine(`container ${name} of pod ${pod}: ${state}`);
  return [
    title,
    ...(shown === undefined
      ? []
      : printable(shown.trimEnd())
          .split('\n')
          .map((line) => `  | ${line}`)),
  ];
}
