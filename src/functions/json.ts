import { decodeJson, decodeJsonArray, decodeJsonObject } from '../go/json-decode.ts';
import { encodeJson, type JsonOptions } from '../go/json-encode.ts';
import { GoError, type GoFunction, type Value } from '../go/value.ts';
import type { FunctionFamily } from './support/family.ts';
import { recover } from './support/recover.ts';

const html: JsonOptions = { escapeHtml: true };
const pretty: JsonOptions = { escapeHtml: true, indent: '  ' };
const raw: JsonOptions = { escapeHtml: false };

/**
 * Sprig's and Helm's JSON functions. Without `must`, encoders return an empty string on error, and
 * decoders return the error's text.
 */
export const jsonFunctions: FunctionFamily = {
  toJson: quietWriter(html),
  toPrettyJson: quietWriter(pretty),
  toRawJson: writer(raw),
  mustToJson: writer(html),
  mustToPrettyJson: writer(pretty),
  mustToRawJson: writer(raw),
  fromJson: { params: ['string'], call: (text: string) => fromJson(text) },
  fromJsonArray: { params: ['string'], call: (text: string) => fromJsonArray(text) },
  mustFromJson: { params: ['string'], call: mustFromJson },
};

function writer(options: JsonOptions): GoFunction {
  return { params: ['interface {}'], call: (value: Value) => encodeJson(value, options) };
}

function quietWriter(options: JsonOptions): GoFunction {
  return {
    params: ['interface {}'],
    call: (value: Value) =>
      recover(
        () => encodeJson(value, options),
        () => '',
      ),
  };
}

function fromJson(text: string): Value {
  return recover(
    () => {
      const { value, error } = decodeJsonObject(text);
      return error === undefined ? value : value.set('Error', error);
    },
    (message) => new Map([['Error', message]]),
  );
}

function fromJsonArray(text: string): Value {
  return recover(
    () => {
      const { value, error } = decodeJsonArray(text);
      return error === undefined ? value : [error];
    },
    (message) => [message],
  );
}

function mustFromJson(text: string): Value {
  const { value, error } = decodeJson(text);
  if (error !== undefined) throw new GoError(error);
  return value;
}
