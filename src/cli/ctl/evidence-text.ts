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
      containers
        .map((container) => ({ ...container, state: withoutKnown(container.state, resource.reason) }))
        .flatMap((container) => containerLines(name, container))
        .map((line) => `  ${line}`),
    ),
  ]);
}

/**
 * Leaves out the end of a state, such as `waiting: ErrImagePull: MESSAGE`, after a colon if a text
 * that is shown already contains it. The reason stays.
 */
function withoutKnown(text: string, shown = ''): string {
  const afterReason = text.indexOf(': ', text.indexOf(': ') + 1);
  for (let colon = afterReason; colon >= 0; colon = text.indexOf(': ', colon + 1)) {
    const end = text.slice(colon + 2);
    if (end.length > 20 && shown.includes(end)) return text.slice(0, colon);
    if (colon > 200) break;
  }
  return text;
}

/** Leaves out events whose message is the reason, which is shown already. */
function warningsOf({ events, reason = '' }: Resource): string[] {
  return events
    .filter(({ type, message }) => type === 'Warning' && !(message.length > 20 && reason.includes(message)))
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
