import { ensureObject, setDefault, stringAt } from '../../objects/fields.ts';
import type { KubeObject } from '../../objects/object.ts';
import { type FieldError, forbidden, invalid } from '../api-error.ts';
import type { ResourceType } from '../store/resource-type.ts';
import type { Store } from '../store/store.ts';
import { kindErrors } from './kind-validation.ts';
import { annotationErrors, labelErrors, nameErrors } from './names.ts';
import { immutableFieldErrors } from './update-validation.ts';

/**
 * Validates an object like the API server, with the rules that charts run into. `current` is given
 * for an update. Throws a 422.
 */
export function validate(type: ResourceType, object: KubeObject, current?: KubeObject): void {
  const { name, labels, annotations } = object.metadata;
  const errors: FieldError[] = [
    ...(current ? [] : nameErrors(type, name)),
    ...labelErrors(labels ?? {}, 'metadata.labels'),
    ...annotationErrors(annotations ?? {}, 'metadata.annotations'),
    ...(type.custom ? [] : kindErrors(object)),
    ...(current && !type.custom ? immutableFieldErrors(current, object) : []),
  ];
  if (errors.length > 0) throw invalid({ ...type, name }, errors);
}

/**
 * Sets the service account of a new pod. Throws a 403 if it does not exist, unless it is the
 * default one, which every namespace gets.
 */
export function admitPod(store: Store, type: ResourceType, pod: KubeObject): void {
  const spec = ensureObject(pod, 'spec');
  const { namespace = '', name } = pod.metadata;
  const account = stringAt(spec, 'serviceAccountName') ?? stringAt(spec, 'serviceAccount') ?? 'default';
  setDefault(spec, 'serviceAccountName', account);
  setDefault(spec, 'serviceAccount', account);
  if (account === 'default' || store.get('/serviceaccounts', namespace, account)) return;
  const reason = `error looking up service account ${namespace}/${account}: serviceaccount ${JSON.stringify(account)} not found`;
  throw forbidden({ ...type, name }, reason);
}
