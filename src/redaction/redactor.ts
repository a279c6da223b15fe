import type { KubeObject, ObjectRef } from '../objects/object.ts';

/** The secrets of objects. */
export interface FoundSecrets {
  /** Texts that are secret. */
  texts: readonly string[];
  /** Secrets that pods use, which may be part of the same objects. */
  references: readonly ObjectRef[];
}

/** Finds secrets in objects, and replaces them in texts. */
export interface Redactor {
  /**
   * Returns the secrets of a manifest and of objects. A pod without a namespace is in `namespace`.
   * Throws `invalid_manifest`.
   */
  findSecrets(
    given: { manifest: string; objects: readonly KubeObject[]; namespace: string },
    signal: AbortSignal,
  ): Promise<FoundSecrets>;
  /** Replaces secrets, and what looks like one, by `***`. */
  redact(texts: readonly string[], secrets: readonly string[], signal: AbortSignal): Promise<string[]>;
}
