import { GoObject } from './value.ts';

/** Go's `complex128`: what a literal such as `1i` is. Nothing but printing and comparing can be done with it. */
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
