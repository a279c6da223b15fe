import type { KubeObject } from '../../objects/object.ts';
import { keyOf, type ObjectCache, type Touched, type TrackedObjects } from './object-cache.ts';

/**
 * The objects of a watch as one user sees them. Only changes of what the user has looked up concern
 * it, so that a change does not wake all of the many operations that share a watch.
 */
export class TrackedView implements TrackedObjects {
  changes = 0;
  readonly #cache: ObjectCache;
  readonly #keys = new Set<string>();
  readonly #uids = new Set<string>();
  #seesAll = false;
  /** Whether the version was read since the last change. */
  #seesVersion = false;

  constructor(cache: ObjectCache) {
    this.#cache = cache;
  }

  get isListed(): boolean {
    return this.#cache.isListed;
  }

  get refusal(): Error | undefined {
    return this.#cache.refusal;
  }

  get resourceVersion(): string | undefined {
    this.#seesVersion = true;
    return this.#cache.resourceVersion;
  }

  find(object: { namespace?: string; name: string }): KubeObject | undefined {
    this.#keys.add(keyOf(object));
    return this.#cache.find(object);
  }

  all(): Iterable<KubeObject> {
    this.#seesAll = true;
    return this.#cache.all();
  }

  relatedTo(uid: string | undefined): Iterable<KubeObject> {
    if (uid !== undefined) this.#uids.add(uid);
    return this.#cache.relatedTo(uid);
  }

  /** Counts a change if it concerns the user. Returns whether it does. */
  note(touched: Touched): boolean {
    const concerns = this.#concerns(touched);
    if (concerns) this.changes += 1;
    return concerns;
  }

  #concerns(touched: Touched): boolean {
    if (touched === 'all' || this.#seesAll || this.#keys.has(touched.key)) return true;
    if (touched.uids.some((uid) => this.#uids.has(uid))) return true;
    const seesVersion = this.#seesVersion;
    this.#seesVersion = false;
    return seesVersion;
  }
}
