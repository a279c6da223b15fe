import type { Evidence } from '../../protocol/evidence.ts';
import { Code } from '../parts/code.tsx';
import { foreignLines, foreignName } from '../text/foreign-text.ts';
import { ResourceList } from './resource-list.tsx';

/** The most lines of one log that are shown. */
const maxLogLines = 200;

/** The state of what has failed: conditions, events, containers and their logs. */
export function EvidenceView({ evidence: { resources } }: { evidence: Evidence }) {
  return (
    <>
      {resources.map((resource) => {
        const { kind, namespace = '', name, conditions, events, pods } = resource;
        return (
          <div key={`${kind}/${namespace}/${name}`} class="evidence">
            <ResourceList resources={[resource]} />
            {conditions.length > 0 && (
              <ul class="plain-list">
                {conditions.map(({ type, status, reason, message }) => (
                  <li key={type}>
                    <bdi>{foreignName([`${type}: ${status}`, reason, message].filter(Boolean).join(', '), 1000)}</bdi>
                  </li>
                ))}
              </ul>
            )}
            {events.length > 0 && (
              <Code
                label={`Events of ${foreignName(name)}`}
                lines={events.map(({ type, object, reason, message, count }) =>
                  foreignName(`${type}  ${object}  ${reason}: ${message}${count > 1 ? ` (${count} times)` : ''}`, 1000),
                )}
              />
            )}
            {pods.flatMap((pod) =>
              pod.containers.map((container) => (
                <div key={`${pod.name}/${container.name}`}>
                  <p>
                    <bdi>{foreignName(`${pod.name}, container ${container.name}: ${container.state}`, 1000)}</bdi>
                  </p>
                  {[container.previousLog, container.log].map(
                    (log, index) =>
                      log !== undefined &&
                      log !== '' && (
                        <Code
                          key={index}
                          label={`Log of ${foreignName(container.name)}${index === 0 ? ' before' : ''}`}
                          lines={foreignLines(log).slice(-maxLogLines)}
                        />
                      ),
                  )}
                </div>
              )),
            )}
          </div>
        );
      })}
    </>
  );
}
