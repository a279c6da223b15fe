import type { KubeObject } from '../objects/object.ts';
import { conditionsOf } from './conditions.ts';
import { current, failed, inProgress, type Readiness } from './status.ts';

export function customResourceDefinitionReadiness(object: KubeObject): Readiness {
  for (const { type, status, reason, message } of conditionsOf(object)) {
    if (type === 'NamesAccepted' && status === 'False') return failed(message);
    if (type === 'Established' && status === 'False' && reason !== 'Installing') return failed(message);
    if (type === 'Established' && status === 'True') return current('CRD is established');
  }
  return inProgress('Install in progress');
}
