import { formatTime } from '../go/time-format.ts';
import { parseTime } from '../go/time-parse.ts';
import { utc } from '../go/time-zone.ts';
import { GoError } from '../go/value.ts';
import type { GoType } from './decode-struct.ts';
import { YamlError } from './yaml-error.ts';

/** Go's `time.Time`, in its JSON form. An error ends decoding, as that of any `UnmarshalJSON`. */
export const goTime: GoType<string> = {
  name: 'time.Time',
  zero: '0001-01-01T00:00:00Z',
  decode(tree) {
    if (typeof tree !== 'string') throw new YamlError('Time.UnmarshalJSON: input is not a JSON string');
    try {
      const { seconds, nanoseconds, zone } = parseTime('2006-01-02T15:04:05Z07:00', tree, utc);
      const instant = { ...zone.at(Number(seconds)), seconds, nanoseconds };
      return formatTime(instant, '2006-01-02T15:04:05.999999999Z07:00');
    } catch (error) {
      if (!(error instanceof GoError)) throw error;
      throw new YamlError(error.message);
    }
  },
};
