import type { RecordedEvent, Recording } from './asciicast.ts';
import type { Screen } from './screen.ts';

export interface PlayerOptions {
  screen: Pick<Screen, 'write' | 'resize' | 'reset'>;
  recording: Pick<Recording, 'size' | 'events'>;
  /** Called when the position changes, and when the playing begins or ends. */
  onChange: () => void;
  /** Returns a time in milliseconds that never goes back. */
  now: () => number;
  /** Calls a function with the next picture, and returns a function that ends the wait. */
  nextFrame: (call: () => void) => () => void;
}

/** Plays a recording on a screen. */
export class Player {
  readonly #options: PlayerOptions;
  /** Index of the next event. */
  #next = 0;
  /** Position in milliseconds. */
  #position = 0;
  #speed = 1;
  #lastFrameAt = 0;
  #endWait: (() => void) | undefined;
  /** Texts that are not drawn yet. */
  #drawing = 0;
  /** Position to show when they are. */
  #sought: number | undefined;
  #mark = '';

  constructor(options: PlayerOptions) {
    this.#options = options;
    options.screen.resize(options.recording.size);
  }

  /** Duration in milliseconds. */
  get duration(): number {
    return this.#options.recording.events.at(-1)?.at ?? 0;
  }

  /** Position in milliseconds. */
  get position(): number {
    return this.#position;
  }

  get isPlaying(): boolean {
    return this.#endWait !== undefined;
  }

  /** The text of the last mark before the position, such as who has joined. */
  get mark(): string {
    return this.#mark;
  }

  get speed(): number {
    return this.#speed;
  }

  set speed(speed: number) {
    this.#speed = speed;
    this.#options.onChange();
  }

  /** Plays on; from the beginning if the recording has ended. */
  play(): void {
    if (this.isPlaying) return;
    if (this.#position >= this.duration) this.#rewind();
    this.#lastFrameAt = this.#options.now();
    this.#wait();
    this.#options.onChange();
  }

  pause(): void {
    this.#endWait?.();
    this.#endWait = undefined;
    this.#options.onChange();
  }

  /** Shows the screen at a position in milliseconds. */
  seek(position: number): void {
    const target = Math.min(this.duration, Math.max(0, position));
    if (this.#drawing > 0) {
      this.#sought = target; // so that seeking a long recording gathers no texts
      return;
    }
    if (target < this.#position) this.#rewind();
    this.#position = target;
    this.#lastFrameAt = this.#options.now();
    this.#draw();
    this.#options.onChange();
  }

  #wait(): void {
    this.#endWait = this.#options.nextFrame(() => this.#frame());
  }

  #frame(): void {
    const now = this.#options.now();
    // a screen that is slow holds the time up, so that nothing gathers
    if (this.#drawing === 0) this.#position += (now - this.#lastFrameAt) * this.#speed;
    this.#lastFrameAt = now;
    this.#position = Math.min(this.duration, this.#position);
    this.#draw();
    if (this.#position >= this.duration) this.#endWait = undefined;
    else this.#wait();
    this.#options.onChange();
  }

  #rewind(): void {
    const { screen, recording } = this.#options;
    this.#next = 0;
    this.#position = 0;
    this.#mark = '';
    screen.reset();
    screen.resize(recording.size);
  }

  /** Draws the events up to the position. */
  #draw(): void {
    const { events } = this.#options.recording;
    let text = '';
    for (;;) {
      const event = events[this.#next];
      if (!event || event.at > this.#position) break;
      this.#next += 1;
      if (event.type === 'output') text += event.text;
      else text = this.#apply(event, text);
    }
    this.#write(text);
  }

  #apply(event: Exclude<RecordedEvent, { type: 'output' }>, text: string): string {
    if (event.type === 'mark') {
      this.#mark = event.text;
      return text;
    }
    this.#write(text);
    this.#options.screen.resize(event.size);
    return '';
  }

  #write(text: string): void {
    if (text === '') return;
    this.#drawing += 1;
    void this.#options.screen.write(text).then(() => {
      this.#drawing -= 1;
      if (this.#drawing > 0 || this.#sought === undefined) return;
      const target = this.#sought;
      this.#sought = undefined;
      this.seek(target);
    });
  }
}
