/** Text that a busy thread shows to another one. */
export interface Display {
  readonly memory: SharedArrayBuffer;
  show(text: string): void;
  /** Length of the text. */
  count(): number;
  /** The text that was shown last. */
  text(): string;
}

const head = 8;
const most = 64 * 1024;

export function createDisplay(): Display {
  return displayOn(new SharedArrayBuffer(head + most));
}

export function displayOn(memory: SharedArrayBuffer): Display {
  const [shown, length] = [0, 1];
  const numbers = new Int32Array(memory, 0, 2);
  const bytes = Buffer.from(memory, head, most);
  return {
    memory,
    show(text) {
      numbers[length] = bytes.write(text);
      Atomics.add(numbers, shown, 1);
    },
    count: () => Atomics.load(numbers, shown),
    text: () => bytes.toString('utf8', 0, numbers[length]),
  };
}
