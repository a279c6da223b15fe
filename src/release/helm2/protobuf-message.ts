import { BinaryReader, WireType } from '@bufbuild/protobuf/wire';

/** Limit on the fields of a message and of those in it, which take more memory than their bytes. */
const maxFields = 400_000;

/** A message of Protocol Buffers. Fields have numbers; one that is absent is empty. */
export interface ProtobufMessage {
  integer(field: number): bigint;
  integers(field: number): bigint[];
  text(field: number): string;
  texts(field: number): string[];
  bytes(field: number): Uint8Array;
  message(field: number): ProtobufMessage | undefined;
  messages(field: number): ProtobufMessage[];
}

/** A varint, or what has a length: a text, bytes, a message or several varints. */
type FieldValue = bigint | Uint8Array;

/** Reads a message. Messages in it are read when they are asked for. Throws an Error. */
export function readProtobuf(data: Uint8Array): ProtobufMessage {
  let count = 0;
  return messageOf(data);

  function messageOf(bytes: Uint8Array): ProtobufMessage {
    const fields = readFields(bytes, () => {
      count += 1;
      if (count > maxFields) throw new RangeError(`more than ${maxFields} fields`);
    });
    const sized = (field: number) => (fields.get(field) ?? []).filter((value) => value instanceof Uint8Array);
    const integers = (field: number) =>
      (fields.get(field) ?? []).flatMap((value) => (value instanceof Uint8Array ? readVarints(value) : [value]));
    return {
      integer: (field) => integers(field).at(-1) ?? 0n,
      integers,
      text: (field) => textOf(sized(field).at(-1) ?? empty),
      texts: (field) => sized(field).map(textOf),
      bytes: (field) => sized(field).at(-1) ?? empty,
      message(field) {
        const last = sized(field).at(-1);
        return last && messageOf(last);
      },
      messages: (field) => sized(field).map(messageOf),
    };
  }
}

const empty = new Uint8Array();

function readFields(data: Uint8Array, onField: () => void): Map<number, FieldValue[]> {
  const reader = new BinaryReader(data);
  const fields = new Map<number, FieldValue[]>();
  while (reader.pos < reader.len) {
    const [field, type] = reader.tag();
    onField();
    const value = readValue(reader, field, type);
    if (value === undefined) continue;
    const values = fields.get(field);
    if (values === undefined) fields.set(field, [value]);
    else values.push(value);
  }
  return fields;
}

/** Returns undefined for numbers of a fixed size and for groups, which are skipped. */
function readValue(reader: BinaryReader, field: number, type: WireType): FieldValue | undefined {
  switch (type) {
    case WireType.Varint:
      return BigInt(reader.int64());
    case WireType.LengthDelimited:
      return reader.bytes();
    default:
      reader.skip(type, field);
      return undefined;
  }
}

function readVarints(data: Uint8Array): bigint[] {
  const reader = new BinaryReader(data);
  const values: bigint[] = [];
  while (reader.pos < reader.len) values.push(BigInt(reader.int64()));
  return values;
}

function textOf(data: Uint8Array): string {
  return Buffer.from(data.buffer, data.byteOffset, data.byteLength).toString('utf8');
}
