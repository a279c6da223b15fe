import { Slice, type Value } from '../../go/value.ts';
import { zeroValue } from '../../template/execute/argument-type.ts';

// A Go slice can have a capacity beyond its length. Sprig's `slice` can extend a slice into it and
// expose the elements there.

const capacityKey = Symbol('capacityKey');

/** The list that a slice is part of, and the end of the slice in it. */
interface Part {
  readonly of: readonly Value[];
  readonly to: number;
}

/** A list with its total capacity, or with the list that it is part of. */
interface ListWithCapacity {
  [capacityKey]?: number | Part;
}

/**
 * Marks a list as allocated with a capacity. Lists without a mark were appended to one element at a
 * time.
 */
export function withCapacity<L extends readonly Value[]>(list: L, capacity: number): L {
  (list as L & ListWithCapacity)[capacityKey] = capacity;
  return list;
}

/** Marks a list as having no spare capacity. */
export function withExactCapacity<L extends readonly Value[]>(list: L): L {
  return withCapacity(list, list.length);
}

/** Marks a list as the part of another list that ends at `to`. */
export function partOf<L extends readonly Value[]>(list: L, of: readonly Value[], to: number): L {
  (list as L & ListWithCapacity)[capacityKey] = { of, to };
  return list;
}

/** Marks a copy of a list as having the same capacity, with nil elements beyond its end. */
export function withCapacityOf<L extends readonly Value[]>(copy: L, original: readonly Value[]): L {
  return (original as ListWithCapacity)[capacityKey] === undefined
    ? copy
    : withCapacity(copy, withSpareElements(original).length);
}

/** Returns a list with the elements beyond its end, up to its capacity. */
export function withSpareElements(list: readonly Value[]): readonly Value[] {
  const known = (list as ListWithCapacity)[capacityKey];
  if (typeof known === 'object') return [...list, ...withSpareElements(known.of).slice(known.to)];
  const element = list instanceof Slice ? list.element : 'interface {}';
  const capacity = known ?? grownCapacity(0, list.length, element);
  return [...list, ...Array<Value>(capacity - list.length).fill(zeroValue(element))];
}

/** Returns the capacity after elements are appended one by one until there are `length`. */
export function grownCapacity(start: number, length: number, element = 'interface {}'): number {
  let capacity = start;
  while (capacity < length) capacity = appendedCapacity(capacity, capacity + 1, element);
  return capacity;
}

/**
 * Returns the capacity after one `append` that needs `length` elements (Go's runtime/slice.go:
 * growslice).
 */
export function appendedCapacity(capacity: number, length: number, element = 'interface {}'): number {
  let wanted = length > 2 * capacity ? length : 2 * capacity;
  if (length <= 2 * capacity && capacity >= largestDoubled) {
    wanted = capacity;
    while (wanted < length) wanted += (wanted + 3 * largestDoubled) >> 2;
  }
  const size = element.startsWith('[]') ? 24 : element === 'int' ? 8 : 16;
  return Math.floor(allocatedSize(wanted * size, element !== 'int') / size);
}

const largestDoubled = 256;
const pageSize = 8192;
/** Larger allocations that contain pointers have a header. */
const largestWithoutHeader = 512;
const headerSize = 8;

/** Go's allocation sizes (internal/runtime/gc/sizeclasses.go). */
const sizeClasses = [
  8, 16, 24, 32, 48, 64, 80, 96, 112, 128, 144, 160, 176, 192, 208, 224, 240, 256, 288, 320, 352, 384, 416, 448, 480,
  512, 576, 640, 704, 768, 896, 1024, 1152, 1280, 1408, 1536, 1792, 2048, 2304, 2688, 3072, 3200, 3456, 4096, 4864,
  5120, 5376, 6144, 6528, 6784, 6912, 8192, 9472, 9728, 10240, 10880, 12288, 13568, 14336, 16384, 18432, 19072, 20480,
  21760, 24576, 27264, 28672, 32768,
] as const;

function allocatedSize(bytes: number, hasPointers: boolean): number {
  const header = hasPointers && bytes > largestWithoutHeader ? headerSize : 0;
  const sizeClass = sizeClasses.find((size) => size >= bytes + header);
  return sizeClass === undefined ? Math.ceil(bytes / pageSize) * pageSize : sizeClass - header;
}
