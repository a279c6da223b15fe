import type { Log } from '../../protocol/log.ts';
import { oneLine, printable } from '../text.ts';

/**
 * Returns a function that turns log packets into lines such as `hook/migrate app | done`, with a
 * line for what was left out.
 */
export function createLogView(): (log: Log) => string[] {
  let last = 0;
  return ({ seq, event, resource, container, lines, omitted, isFull }) => {
    const isMissing = last > 0 && seq > last + 1;
    last = seq;
    const kind = event === undefined ? resource.kind.toLowerCase() : 'hook';
    const prefix = oneLine(`${kind}/${resource.name} ${container}`);
    return [
      ...(isMissing ? ['lines of logs were lost, because the connection is slow'] : []),
      ...lines.map((line) => `${prefix} | ${printable(line)}`),
      ...(omitted ? [`${prefix} | … ${omitted.lines} lines (${omitted.bytes} bytes) are left out`] : []),
      ...(isFull === true ? ['no more lines of logs follow, because there were too many'] : []),
    ];
  };
}
