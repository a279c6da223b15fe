const units = [
  ['day', 86_400_000],
  ['hour', 3_600_000],
  ['minute', 60_000],
  ['second', 1000],
] as const;

const relative = new Intl.RelativeTimeFormat('en', { numeric: 'auto', style: 'narrow' });

/** Returns a time as seen from another one: `5 min. ago`, `in 2 h`. Times are in milliseconds. */
export function relativeTime(time: number, now: number): string {
  const distance = time - now;
  if (Math.abs(distance) < 1000) return 'now';
  const [unit, length] = units.find(([, size]) => Math.abs(distance) >= size) ?? (['second', 1000] as const);
  return relative.format(Math.trunc(distance / length), unit);
}

/** Returns a duration in milliseconds as `0.4 s`, `12 s`, `3 min 5 s` or `2 h 10 min`. */
export function durationText(milliseconds: number): string {
  const seconds = Math.max(0, milliseconds) / 1000;
  if (seconds < 10) return `${seconds.toFixed(1)} s`;
  const whole = Math.round(seconds);
  if (whole < 60) return `${whole} s`;
  if (whole < 3600) return `${Math.floor(whole / 60)} min ${whole % 60} s`;
  return `${Math.floor(whole / 3600)} h ${Math.floor((whole % 3600) / 60)} min`;
}

/** Returns a position in milliseconds as `0:07`, `12:34` or `1:02:03`. */
export function clockText(milliseconds: number): string {
  const seconds = Math.floor(Math.max(0, milliseconds) / 1000);
  const two = (value: number) => String(value).padStart(2, '0');
  const [hours, minutes] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60];
  return hours > 0 ? `${hours}:${two(minutes)}:${two(seconds % 60)}` : `${minutes}:${two(seconds % 60)}`;
}
