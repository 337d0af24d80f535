import { lazy, Suspense } from 'react';
import { useBridge } from '../../surroundings.ts';

const DoorServers = lazy(async () => ({ default: (await import('./door-servers.tsx')).DoorServers }));

/** Where one could be instead; nothing in a browser, which is where it is. */
export function Elsewhere() {
  const { shell } = useBridge();
  return (
    shell && (
      <Suspense>
        <DoorServers shell={shell} />
      </Suspense>
    )
  );
}
