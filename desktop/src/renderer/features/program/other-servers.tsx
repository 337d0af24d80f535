// Choice of another server before sign-in; only in the desktop app, and loaded there.
import { useBridge } from '../../context.ts';
import { lazyPart } from '../../ui/lazy.tsx';

const ServerChoice = lazyPart(async () => (await import('./program-cards.tsx')).ServerChoice);

export function OtherServers() {
  const { shell } = useBridge();
  return shell && <ServerChoice shell={shell} />;
}
