/** Signatures of charts are OpenPGP messages, which this program does not read. */
export function refuseVerification(): never {
  throw new Error('helm-agent does not verify signatures of charts; use helm for it, or leave out --verify');
}
