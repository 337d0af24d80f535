// Guard against double clicks on what moves: the second click counts only on the target of the first. The first click
// opens a panel or a bar, so that another row or button may be under the pointer.
import { type MouseEvent, useRef } from 'react';

/** For `onClickCapture`. A row is its file: a list that grows shows another file in the same row. */
export function useDoubleClickGuard(): (event: MouseEvent) => void {
  const former = useRef<unknown>(undefined);
  return event => {
    const target = (event.target as Element).closest<HTMLElement>('[data-file], button, a');
    const pressed = target?.dataset.file ?? target;
    if (event.detail > 1 && pressed !== null && pressed !== former.current) {
      event.preventDefault();
      event.stopPropagation();
    } else former.current = pressed;
  };
}
