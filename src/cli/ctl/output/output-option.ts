import { Option } from 'commander';
import { outputFormats } from './format.ts';

/** Returns the flag `--output` of helm, without a default. */
export function optionalOutputOption(): Option {
  return new Option('-o, --output <format>', 'format of the output').choices(outputFormats);
}

/** Returns the flag `--output` of helm. Default: `table`. */
export function outputOption(): Option {
  return optionalOutputOption().default('table');
}
