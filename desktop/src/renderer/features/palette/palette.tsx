// Command palette: screens, files and actions in one list that is filtered by typing.
import { paletteWords } from '@recordproof/shared/words/app-palette.ts';
import { type KeyboardEvent, useEffect, useId, useRef, useState } from 'react';
import { useWords } from '../../context.ts';
import { useModal } from '../../ui/dialog.tsx';
import { Icon } from '../../ui/icon.tsx';
import { type Entry, fitting, type NavigationEntry } from './entries.ts';
import './palette-styles.ts';
import { useActions, useFoundFiles } from './use-entries.ts';

type PaletteProps = {
  readonly entries: readonly NavigationEntry[];
  readonly onKeys: () => void;
  readonly onClose: () => void;
};

export function Palette({ entries, onKeys, onClose }: PaletteProps) {
  const texts = useWords(paletteWords);
  const dialog = useModal();
  return (
    <dialog ref={dialog} className="palette" aria-label={texts.title} onClose={onClose}>
      <Choice entries={entries} onKeys={onKeys} onClose={onClose} />
    </dialog>
  );
}

const toEntry = ({ title, icon, href }: NavigationEntry): Entry => {
  const run = () => {
    location.hash = href;
  };
  return { id: href, kind: 'screen', icon, title, run };
};

function Choice({ entries, onKeys, onClose }: PaletteProps) {
  const texts = useWords(paletteWords);
  const [typed, setTyped] = useState('');
  const [at, setAt] = useState(0);
  const listId = useId();
  const actions = useActions(onKeys);
  const files = useFoundFiles(typed);
  const shown = [...fitting(entries.map(toEntry), typed), ...files, ...fitting(actions, typed)];
  const chosen = Math.min(at, shown.length - 1);
  const choose = (entry: Entry | undefined) => {
    if (!entry) return;
    onClose();
    entry.run();
  };
  const press = (event: KeyboardEvent) => {
    const to = nextIndex(event.key, chosen, shown.length);
    if (event.key === 'Enter') choose(shown[chosen]);
    else if (to !== undefined) setAt(to);
    else return;
    event.preventDefault();
  };
  return (
    <>
      <input
        role="combobox"
        aria-label={texts.title}
        aria-expanded
        aria-controls={listId}
        aria-activedescendant={shown.length > 0 ? `${listId}-${chosen}` : undefined}
        autoComplete="off"
        placeholder={texts.hint}
        maxLength={255}
        value={typed}
        onChange={event => {
          setTyped(event.target.value);
          setAt(0);
        }}
        onKeyDown={press}
      />
      <Options id={listId} entries={shown} chosen={chosen} onChoose={choose} />
      <p className="unseen" role="status">
        {texts.found(shown.length)}
      </p>
    </>
  );
}

/** Wraps at both ends. */
function nextIndex(key: string, at: number, many: number): number | undefined {
  if (many === 0) return undefined;
  if (key === 'ArrowDown') return (at + 1) % many;
  if (key === 'ArrowUp') return (at + many - 1) % many;
  return undefined;
}

type OptionsProps = {
  readonly id: string;
  readonly entries: readonly Entry[];
  readonly chosen: number;
  readonly onChoose: (entry: Entry) => void;
};

function Options({ id, entries, chosen, onChoose }: OptionsProps) {
  const texts = useWords(paletteWords);
  const current = useRef<HTMLDivElement>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: whenever another one is chosen
  useEffect(() => {
    // Newer browsers return a promise, which React would take for a clean-up.
    void current.current?.scrollIntoView({ block: 'nearest' });
  }, [chosen]);
  return (
    <div id={id} role="listbox" aria-label={texts.title} className="options">
      {entries.map((entry, index) => (
        // biome-ignore lint/a11y/useKeyWithClickEvents: the keys are those of the field
        <div
          key={entry.id}
          id={`${id}-${index}`}
          ref={index === chosen ? current : null}
          role="option"
          tabIndex={-1}
          aria-selected={index === chosen}
          onClick={() => onChoose(entry)}
        >
          <Icon name={entry.icon} />
          <span className="cut">{entry.title}</span>
          <span className="quiet small">{texts[entry.kind]}</span>
        </div>
      ))}
      {entries.length === 0 && <p className="quiet">{texts.none}</p>}
    </div>
  );
}
