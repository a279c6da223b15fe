import type { RefObject } from 'preact';
import { useEffect, useRef } from 'preact/hooks';

/** Opens a dialog when it is rendered. What had the focus before gets it back afterwards. */
export function useModal(): RefObject<HTMLDialogElement | null> {
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    const opener = document.activeElement;
    dialog.current?.showModal();
    return () => opener instanceof HTMLElement && opener.focus();
  }, []);
  return dialog;
}
