import { useState } from 'preact/hooks';

/** A text to copy. */
export function CopyText({ label, text }: { label: string; text: string }) {
  const [isCopied, setCopied] = useState(false);
  const copy = async () => {
    // a page without TLS has no clipboard; the text can be selected then
    if (!('clipboard' in navigator)) return;
    await navigator.clipboard.writeText(text);
    setCopied(true);
  };
  return (
    <div class="copy">
      <pre tabIndex={0} aria-label={label}>
        {text}
      </pre>
      <button type="button" onClick={() => void copy().catch(() => setCopied(false))}>
        {isCopied ? 'Copied' : 'Copy'}
      </button>
    </div>
  );
}
