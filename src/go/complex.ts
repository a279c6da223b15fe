import { GoObject } from './value.ts';

/** Go's `complex128`, the type of literals such as `1i`. Supports only printing and comparing. */
export class Complex extends GoObject {
  readonly goType = 'complex128';
  readonly kind = 'complex128';
  readonly real: number;
  readonly imaginary: number;

  constructor(real: number, imaginary: number) {
    super();
    this.real = real;
    this.imaginary = imaginary;
  }
}
