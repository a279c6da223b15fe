import { useEffect, useState } from 'preact/hooks';

/** Returns whether the page is shown: in the front tab of a window that is not minimized. */
export function useVisible(): boolean {
  const [isVisible, setVisible] = useState(isShown);
  useEffect(() => {
    const look = () => setVisible(isShown());
    document.addEventListener('visibilitychange', look);
    return () => document.removeEventListener('visibilitychange', look);
  }, []);
  return isVisible;
}

function isShown(): boolean {
  return document.visibilityState === 'visible';
}
