// Dialog with the keyboard shortcuts.
import { paletteWords } from '@recordproof/shared/words/app-palette.ts';
import { useWords } from '../../context.ts';
import { Dialog } from '../../ui/dialog.tsx';
import { modifierKey } from './modifier-key.ts';
import './palette-styles.ts';

export function KeyHelp({ onClose }: { readonly onClose: () => void }) {
  const { keysTitle, helps } = useWords(paletteWords);
  const keys: readonly (readonly [pressed: readonly string[], does: string])[] = [
    [[modifierKey, 'K'], helps.palette],
    [['/'], helps.search],
    [['T'], helps.tray],
    [['?'], helps.help],
    [['↑', '↓'], helps.arrows],
    [['Enter'], helps.enter],
    [['Space'], helps.space],
    [[modifierKey, 'A'], helps.all],
    [['Esc'], helps.escape],
  ];
  return (
    <Dialog title={keysTitle} onClose={onClose}>
      <dl className="keys">
        {keys.map(([pressed, does]) => (
          <div key={does}>
            <dt>
              {pressed.map(key => (
                <kbd key={key}>{key}</kbd>
              ))}
            </dt>
            <dd>{does}</dd>
          </div>
        ))}
      </dl>
    </Dialog>
  );
}
