/** A line that Helm logs while it renders. */
export interface RenderNotice {
  level: 'INFO' | 'WARN';
  message: string;
  attributes: Readonly<Record<string, string>>;
}
