import type { KubeObject } from '../../objects/object.ts';
import { invalid, type FieldError } from '../api-error.ts';
import { annotationErrors, labelErrors, nameErrors } from './names.ts';
import type { ResourceType } from '../store/resource-type.ts';
import { immutableFieldErrors } from './update-validation.ts';
import { kindErrors } from './kind-validation.ts';

/** Refuses an object that the API server would refuse, as far as charts come across it. `current` is there for an update. Fails with 422. */
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
