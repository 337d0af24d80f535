import type { ServerEvent } from '@recordproof/shared/api/sse.ts';
import { useEffect, useRef } from 'react';
import { useBridge } from '../surroundings.ts';

const gatherMs = 250;

/** Calls back soon after something of these has happened, once for many, and when events may have been missed. */
export function useEvents(types: readonly ServerEvent['type'][], happened: () => void): void {
  const { events } = useBridge();
  const latest = useRef(happened);
  latest.current = happened;
  const wanted = types.join(' ');
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const stop = events.listen(event => {
      const isMissed = event.type === 'connected' && event.payload.missed;
      if (!isMissed && !wanted.split(' ').includes(event.type)) return;
      timer ??= setTimeout(() => {
        timer = undefined;
        latest.current();
      }, gatherMs);
    });
    return () => {
      stop();
      clearTimeout(timer);
    };
  }, [events, wanted]);
}
