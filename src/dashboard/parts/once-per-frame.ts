/**
 * Returns a function that draws with the next frame of the screen, once however often it is called
 * until then.
 */
export function oncePerFrame(draw: () => void): () => void {
  let isWaiting = false;
  return () => {
    if (isWaiting) return;
    isWaiting = true;
    requestAnimationFrame(() => {
      isWaiting = false;
      draw();
    });
  };
}
