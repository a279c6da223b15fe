import { createHash } from 'node:crypto';
import { operationOf } from './command-operation.ts';

export const operation = operationOf('get_policy', {
  request: () => undefined,
  run: ({ policy }) => Promise.resolve(policy?.source),
  answer(source) {
    if (source === undefined) return {};
    const { text, paused } = source;
    const sha256 = createHash('sha256').update(text).digest('hex');
    return { policy: text, sha256, ...(paused !== undefined && { paused }) };
  },
});
