import { objectName } from '../bounded.ts';
import { field } from './field.ts';

/** The fields that name a set of manifests, which is a release. */
export const setIdentity = {
  namespace: field(
    objectName
      .default('default')
      .describe('Namespace of the set, and of its objects that have a namespace and do not name one'),
  ),
  releaseName: field(objectName.describe('Name of the set')),
};

/** The argument of commands about one set. */
export const setArgument = { field: 'releaseName', kind: 'release', shown: 'NAME' } as const;
