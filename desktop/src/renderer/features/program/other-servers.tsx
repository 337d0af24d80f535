// Choice of another server before sign-in; only in the desktop app, and loaded there.
import { lazy, Suspense } from 'react';
import { useBridge } from '../../context.ts';

const ServerChoice = lazy(async () => ({ default: (await import('./server-choice.tsx')).ServerChoice }));

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
