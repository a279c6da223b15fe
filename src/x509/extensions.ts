import { Buffer } from 'node:buffer';
import {
  type BaseBlock,
  BitString,
  Boolean as Asn1Boolean,
  ObjectIdentifier,
  OctetString,
  Primitive,
  Sequence,
} from 'asn1js';
import { quote } from '../go/strconv.ts';
import { GoError } from '../go/value.ts';

const serverAuth = '1.3.6.1.5.5.7.3.1';
const clientAuth = '1.3.6.1.5.5.7.3.2';

/** Fields that the extensions of a certificate depend on. */
export interface ExtensionFacts {
  readonly isAuthority: boolean;
  readonly subjectKeyId: Uint8Array | undefined;
  readonly authorityKeyId: Uint8Array | undefined;
  readonly dnsNames: readonly string[];
  readonly ipAddresses: readonly Uint8Array[];
  readonly subjectIsEmpty: boolean;
}

/** Returns the extensions in the order in which Go writes them. */
export function extensions(facts: ExtensionFacts): Sequence {
  const { isAuthority, subjectKeyId, authorityKeyId } = facts;
  const list = [
    extension('2.5.29.15', keyUsage(isAuthority), true),
    extension(
      '2.5.29.37',
      new Sequence({ value: [serverAuth, clientAuth].map((value) => new ObjectIdentifier({ value })) }),
    ),
    extension('2.5.29.19', new Sequence({ value: isAuthority ? [new Asn1Boolean({ value: true })] : [] }), true),
  ];
  if (subjectKeyId !== undefined) list.push(extension('2.5.29.14', new OctetString({ valueHex: subjectKeyId })));
  if (authorityKeyId !== undefined) {
    list.push(extension('2.5.29.35', new Sequence({ value: [tagged(0, authorityKeyId)] })));
  }
  if (facts.dnsNames.length > 0 || facts.ipAddresses.length > 0) {
    list.push(extension('2.5.29.17', alternativeNames(facts), facts.subjectIsEmpty));
  }
  return new Sequence({ value: list });
}

function extension(id: string, value: BaseBlock, critical = false): Sequence {
  const criticality = critical ? [new Asn1Boolean({ value: true })] : [];
  return new Sequence({
    value: [new ObjectIdentifier({ value: id }), ...criticality, new OctetString({ valueHex: value.toBER() })],
  });
}

/** Digital signature and key encipherment, and certificate signing for an authority. */
function keyUsage(isAuthority: boolean): BitString {
  const [bits, unusedBits] = isAuthority ? [0b1010_0100, 2] : [0b1010_0000, 5];
  return new BitString({ valueHex: Uint8Array.of(bits), unusedBits });
}

function alternativeNames({ dnsNames, ipAddresses }: ExtensionFacts): Sequence {
  const names = dnsNames.map((name) => tagged(2, ia5Bytes(name)));
  return new Sequence({ value: [...names, ...ipAddresses.map((address) => tagged(7, address))] });
}

function tagged(tagNumber: number, bytes: Uint8Array): Primitive {
  return new Primitive({ idBlock: { tagClass: 3, tagNumber }, valueHex: bytes });
}

function ia5Bytes(text: string): Uint8Array {
  if (!/^[\0-\x7f]*$/.test(text)) throw new GoError(`x509: ${quote(text)} cannot be encoded as an IA5String`);
  return Buffer.from(text, 'ascii');
}
