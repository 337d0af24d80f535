// Keyboard shortcuts of all screens: Ctrl+K or Cmd+K opens the command palette, ? lists the shortcuts, / focuses the
// search field, T toggles the tray of transfers. Palette and list are loaded on first use.
import { useEffect, useState } from 'react';
import { lazyPart } from '../../ui/lazy.tsx';
import type { NavigationEntry } from './entries.ts';

const Palette = lazyPart(async () => (await import('./palette.tsx')).Palette);
const KeyHelp = lazyPart(async () => (await import('./key-help.tsx')).KeyHelp);

type Opened = 'palette' | 'keys' | null;

const isTyping = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement && target.matches('input, select, textarea, [contenteditable]');

/** Undefined for keys that are not ours. */
function toCommand({
  key,
  ctrlKey,
  metaKey,
  altKey,
  shiftKey,
  target,
}: KeyboardEvent): 'palette' | 'keys' | 'search' | 'tray' | undefined {
  if ((ctrlKey || metaKey) && !altKey && !shiftKey && key.toLowerCase() === 'k') return 'palette';
  if (ctrlKey || metaKey || altKey || isTyping(target)) return undefined;
  if (key === '?') return 'keys';
  if (key === 't') return 'tray';
  return key === '/' ? 'search' : undefined;
}

export function Shortcuts({ entries }: { readonly entries: readonly NavigationEntry[] }) {
  const [opened, setOpened] = useState<Opened>(null);
  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      const command = toCommand(event);
      // An open dialog comes first.
      const isAsked = document.querySelector('dialog[open]:not(.palette)') !== null;
      if (command === undefined || isAsked) return;
      event.preventDefault();
      if (command === 'search') document.querySelector<HTMLElement>('main input[type=search]')?.focus();
      else if (command === 'tray') toggleTray();
      else setOpened(now => (now === command ? null : command));
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
    <>
      {opened === 'palette' && (
        <Palette entries={entries} onKeys={() => setOpened('keys')} onClose={() => setOpened(null)} />
      )}
      {opened === 'keys' && <KeyHelp onClose={() => setOpened(null)} />}
    </>
  );
}

const openPaletteEvent = 'recordproof:palette';

/** For the pointer. */
export const openPalette = (): void => void dispatchEvent(new Event(openPaletteEvent));

export const trayEvent = 'recordproof:tray';

const toggleTray = (): void => void dispatchEvent(new Event(trayEvent));
