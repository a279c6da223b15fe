export interface TerminalSize {
  readonly columns: number;
  readonly rows: number;
}

/** A terminal in the page. */
export interface Screen {
  readonly size: TerminalSize;
  /** Draws. Resolves when it is done. */
  write(data: string | Uint8Array): Promise<void>;
  resize(size: TerminalSize): void;
  /** Empties the terminal, and forgets its modes. */
  reset(): void;
  focus(): void;
  close(): void;
}
