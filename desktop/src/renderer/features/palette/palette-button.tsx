// Button that opens the command palette, and shows its shortcut.
import { paletteWords } from '@recordproof/shared/words/app-palette.ts';
import { useWords } from '../../context.ts';
import { Icon } from '../../ui/icon.tsx';
import { modifierKey } from './modifier-key.ts';
import { openPalette } from './shortcuts.tsx';

export function PaletteButton() {
  const texts = useWords(paletteWords);
  return (
    <button type="button" className="plain palette-button" onClick={openPalette}>
      <Icon name="search" /> <span className="cut">{texts.open}</span>
      <kbd>{modifierKey} K</kbd>
    </button>
  );
}
