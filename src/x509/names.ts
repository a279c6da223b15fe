import { ObjectIdentifier, PrintableString, Sequence, Set as Asn1Set, Utf8String } from 'asn1js';
import { GoError } from '../go/value.ts';

const commonNameId = '2.5.4.3';

/** Returns a distinguished name with only a common name; an empty name has no attributes. */
export function distinguishedName(commonName: string): Sequence {
  if (commonName === '') return new Sequence();
  if (!commonName.isWellFormed()) throw new GoError('asn1: string not valid UTF-8');
  const printable = /^[A-Za-z0-9 '()+,\-./:=?]*$/.test(commonName);
  const value = printable ? new PrintableString({ value: commonName }) : new Utf8String({ value: commonName });
  const attribute = new Sequence({ value: [new ObjectIdentifier({ value: commonNameId }), value] });
  return new Sequence({ value: [new Asn1Set({ value: [attribute] })] });
}
