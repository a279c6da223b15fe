/** How one field of an object merges in a strategic merge patch. */
export interface FieldMerge {
  /**
   * `merge` for lists that merge by element, `replace` for maps that change as a whole. Without it,
   * lists change as a whole, and maps by field.
   */
  readonly strategy: 'merge' | 'replace' | undefined;
  /** The field that identifies an element of the list. Undefined for a list of scalars. */
  readonly mergeKey: string | undefined;
  /** Whether fields of the map that the configuration lacks are removed. */
  readonly retainKeys: boolean;
  /** Schema of the value, or of the elements of the list. */
  readonly schema: PatchSchema;
}

/** How the fields of a kind merge in a strategic merge patch. */
export interface PatchSchema {
  field(name: string): FieldMerge;
}

/** Schema of a value about which nothing is known. */
export const plainSchema: PatchSchema = { field: () => plainField };

/** A field about which nothing is known. */
export const plainField: FieldMerge = {
  strategy: undefined,
  mergeKey: undefined,
  retainKeys: false,
  schema: plainSchema,
};
