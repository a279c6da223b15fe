import { sealingKeyLine } from '../sealing/public-sealing-key.ts';
import { operationOf } from './command-operation.ts';
import { OperationError } from './error.ts';

export const operation = operationOf('get_sealing_key', {
  request: () => undefined,
  run({ sealing }) {
    if (sealing === undefined) throw new OperationError('unsupported', 'this agent has no key to seal values to');
    return sealing.publicKey();
  },
  answer: ({ key, createdAt, previousId }) => ({
    sealingKey: sealingKeyLine(key),
    keyId: key.id,
    created: new Date(createdAt).toISOString(),
    ...(previousId !== undefined && { previousKeyId: previousId }),
  }),
});
