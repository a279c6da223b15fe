/**
 * Measures the longest processor time of this thread between two turns of its event loop, which
 * other programs do not change. Returns a function that ends the measurement, with milliseconds.
 */
export function measureBusyTime(): () => number {
  let longest = 0;
  let before = process.threadCpuUsage();
  const look = () => {
    const { user, system } = process.threadCpuUsage(before);
    before = process.threadCpuUsage();
    longest = Math.max(longest, (user + system) / 1000);
  };
  const timer = setInterval(look, 5);
  return () => {
    clearInterval(timer);
    look();
    return longest;
  };
}
