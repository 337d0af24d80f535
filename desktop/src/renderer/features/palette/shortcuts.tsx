// The keys that hold everywhere: Ctrl+K or Cmd+K for the list of what can be done, ? for what the keys do, / for the search
// field of a screen. The list itself comes when it is asked for first.
import { lazy, Suspense, useEffect, useState } from 'react';
import type { PlaceEntry } from './entries.ts';

const Palette = lazy(async () => ({ default: (await import('./palette.tsx')).Palette }));
const KeyHelp = lazy(async () => ({ default: (await import('./key-help.tsx')).KeyHelp }));

type Opened = 'palette' | 'keys' | null;

const isTyping = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement && target.matches('input, select, textarea, [contenteditable]');

/** What of it a press asks for; undefined where it is somebody else's. */
function toCommand({
  key,
  ctrlKey,
  metaKey,
  altKey,
  shiftKey,
  target,
}: KeyboardEvent): 'palette' | 'keys' | 'search' | undefined {
  if ((ctrlKey || metaKey) && !altKey && !shiftKey && key.toLowerCase() === 'k') return 'palette';
  if (ctrlKey || metaKey || altKey || isTyping(target)) return undefined;
  if (key === '?') return 'keys';
  return key === '/' ? 'search' : undefined;
}

export function Shortcuts({ places }: { readonly places: readonly PlaceEntry[] }) {
  const [opened, setOpened] = useState<Opened>(null);
  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      const wish = toCommand(event);
      // A dialog that asks something comes first.
      const isAsked = document.querySelector('dialog[open]:not(.palette)') !== null;
      if (wish === undefined || isAsked) return;
      event.preventDefault();
      if (wish === 'search') document.querySelector<HTMLElement>('main input[type=search]')?.focus();
      else setOpened(now => (now === wish ? null : wish));
    };
    const ask = () => setOpened('palette');
    addEventListener('keydown', press);
    addEventListener(openPaletteEvent, ask);
    return () => {
      removeEventListener('keydown', press);
      removeEventListener(openPaletteEvent, ask);
    };
  }, []);
  return (
    <Suspense>
      {opened === 'palette' && (
        <Palette places={places} onKeys={() => setOpened('keys')} onClose={() => setOpened(null)} />
      )}
      {opened === 'keys' && <KeyHelp onClose={() => setOpened(null)} />}
    </Suspense>
  );
}

const openPaletteEvent = 'recordproof:palette';

/** For those who press no keys. */
export const openPalette = (): void => void dispatchEvent(new Event(openPaletteEvent));
