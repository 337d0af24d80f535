import { lazy, Suspense } from 'react';
import { useBridge } from '../../context.ts';

const ServerChoice = lazy(async () => ({ default: (await import('./server-choice.tsx')).ServerChoice }));

/** Where one could be instead; nothing in a browser, which is where it is. */
export function OtherServers() {
  const { shell } = useBridge();
  return (
    shell && (
      <Suspense>
        <ServerChoice shell={shell} />
      </Suspense>
    )
  );
}
