/** Strips the UTF-8 byte order mark. */
export function withoutByteOrderMark(data: Uint8Array): Uint8Array {
  return data[0] === 0xef && data[1] === 0xbb && data[2] === 0xbf ? data.subarray(3) : data;
}
