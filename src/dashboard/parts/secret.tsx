import { CopyText } from './copy-text.tsx';
import { useModal } from './use-modal.ts';

/** A dialog with a secret that is shown only once. */
export function Secret({ title, text, onClose }: { title: string; text: string; onClose: () => void }) {
  const dialog = useModal();
  return (
    <dialog ref={dialog} aria-label={title} onClose={onClose}>
      <h2>{title}</h2>
      <p>Copy it now. It is not shown again.</p>
      <CopyText label={title} text={text} />
      <div class="buttons">
        <button type="button" onClick={() => dialog.current?.close()}>
          Done
        </button>
      </div>
    </dialog>
  );
}
