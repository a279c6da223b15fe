import type { KubeObject } from '../../objects/object.ts';
import { invalid, type FieldError } from '../api-error.ts';
import { annotationErrors, labelErrors, nameErrors } from './names.ts';
import type { ResourceType } from '../store/resource-type.ts';
import { immutableFieldErrors } from './update-validation.ts';
import { kindErrors } from './kind-validation.ts';

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
