import { Slice, type Value } from '../../go/value.ts';
import { zeroValue } from '../../template/execute/argument-type.ts';

// A slice of Go may have room behind its end. Sprig's `slice` can reach it, and brings back what stands there.

const room = Symbol('room');

/** The list that a slice is a part of, and where in it the slice ends. */
interface Part {
  readonly of: readonly Value[];
  readonly to: number;
}

/** A list that says how many elements it has room for in all, or what it is a part of. */
interface Roomy {
  [room]?: number | Part;
}

/** Marks a list as one that was made for so many elements. Lists without a mark have grown element by element. */
export function withCapacity<L extends readonly Value[]>(list: L, capacity: number): L {
  (list as L & Roomy)[room] = capacity;
  return list;
}

/** Marks a list as one without room. */
export function exact<L extends readonly Value[]>(list: L): L {
  return withCapacity(list, list.length);
}

/** Marks a list as a part of another that ends there. */
export function partOf<L extends readonly Value[]>(list: L, of: readonly Value[], to: number): L {
  (list as L & Roomy)[room] = { of, to };
  return list;
}

/** Marks a copy of a list as one with the same room, in which nothing stands. */
export function withRoomOf<L extends readonly Value[]>(copy: L, original: readonly Value[]): L {
  return (original as Roomy)[room] === undefined ? copy : withCapacity(copy, withBehind(original).length);
}

/** A list together with what stands behind its end. */
export function withBehind(list: readonly Value[]): readonly Value[] {
  const known = (list as Roomy)[room];
  if (typeof known === 'object') return [...list, ...withBehind(known.of).slice(known.to)];
  const element = list instanceof Slice ? list.element : 'interface {}';
  const capacity = known ?? grownCapacity(0, list.length, element);
  return [...list, ...Array<Value>(capacity - list.length).fill(zeroValue(element))];
}

/** What Go's `append` makes of a capacity when elements are added one by one until there are `length`. */
export function grownCapacity(start: number, length: number, element = 'interface {}'): number {
  let capacity = start;
  while (capacity < length) capacity = appendedCapacity(capacity, capacity + 1, element);
  return capacity;
}

/** The capacity after one `append` that needs room for `length` elements (Go's runtime/slice.go: growslice). */
export function appendedCapacity(capacity: number, length: number, element = 'interface {}'): number {
  let wanted = length > 2 * capacity ? length : 2 * capacity;
  if (length <= 2 * capacity && capacity >= largestDoubled) {
    wanted = capacity;
    while (wanted < length) wanted += (wanted + 3 * largestDoubled) >> 2;
  }
  const size = element.startsWith('[]') ? 24 : element === 'int' ? 8 : 16;
  return Math.floor(allocated(wanted * size, element !== 'int') / size);
}

const largestDoubled = 256;
const pageSize = 8192;
/** Larger memory with pointers in it has a header. */
const largestWithoutHeader = 512;
const headerSize = 8;

/** Sizes that Go gives memory in (Go's internal/runtime/gc/sizeclasses.go). */
const sizeClasses = [
  8, 16, 24, 32, 48, 64, 80, 96, 112, 128, 144, 160, 176, 192, 208, 224, 240, 256, 288, 320, 352, 384, 416, 448, 480,
  512, 576, 640, 704, 768, 896, 1024, 1152, 1280, 1408, 1536, 1792, 2048, 2304, 2688, 3072, 3200, 3456, 4096, 4864,
  5120, 5376, 6144, 6528, 6784, 6912, 8192, 9472, 9728, 10240, 10880, 12288, 13568, 14336, 16384, 18432, 19072, 20480,
  21760, 24576, 27264, 28672, 32768,
] as const;

function allocated(bytes: number, hasPointers: boolean): number {
  const header = hasPointers && bytes > largestWithoutHeader ? headerSize : 0;
  const sizeClass = sizeClasses.find((size) => size >= bytes + header);
  return sizeClass === undefined ? Math.ceil(bytes / pageSize) * pageSize : sizeClass - header;
}
