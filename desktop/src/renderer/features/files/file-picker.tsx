// Picker for some of one's own files, page by page: all, or those that a search finds.
import { type File, listFiles, searchFiles } from '@recordproof/shared/api/files.ts';
import { useState } from 'react';
import { useBridge, useTexts } from '../../context.ts';
import { formatSize } from '../../format.ts';
import { Button } from '../../ui/button.tsx';
import { FileName } from '../../ui/file-name.tsx';
import { useDebounced, usePages } from '../../ui/hooks.ts';
import { Problem } from '../../ui/states.tsx';

type Picking = {
  readonly chosen: readonly File[];
  readonly onChoose: (files: readonly File[]) => void;
  readonly most: number;
};

export function FilePicker({ chosen, onChoose, most }: Picking) {
  const texts = useTexts();
  const { call } = useBridge();
  const [typed, setTyped] = useState('');
  const keyword = useDebounced(typed.trim());
  const { state, more } = usePages(keyword, (page, signal) =>
    keyword === ''
      ? call(listFiles, { query: page, signal })
      : call(searchFiles, { query: { ...page, keyword }, signal }),
  );
  const isChosen = (file: File) => chosen.some(({ id }) => id === file.id);
  const toggle = (file: File) =>
    onChoose(isChosen(file) ? chosen.filter(({ id }) => id !== file.id) : [...chosen, file]);
  const found = state.kind === 'ready' ? state.value.records : [];
  const hidden = chosen.filter(({ id }) => !found.some(one => one.id === id));
  return (
    <fieldset className="picker">
      <legend className="number">{texts.list.selected(String(chosen.length))}</legend>
      <input
        type="search"
        value={typed}
        onChange={event => setTyped(event.target.value)}
        aria-label={texts.list.search}
        placeholder={texts.list.search}
        maxLength={255}
      />
      {state.kind === 'failed' && <Problem error={state.error} />}
      {state.kind === 'ready' && found.length === 0 && <p className="quiet small">{texts.list.nothing}</p>}
      {state.kind === 'ready' && (
        <div className="picked">
          <ul>
            {[...hidden, ...found].map(file => (
              <li key={file.id}>
                <label className="check">
                  <input
                    type="checkbox"
                    checked={isChosen(file)}
                    disabled={!isChosen(file) && chosen.length >= most}
                    onChange={() => toggle(file)}
                  />
                  <FileName name={file.fileName} />
                  <span className="quiet small number">{formatSize(file.fileSize)}</span>
                </label>
              </li>
            ))}
          </ul>
          {state.value.hasMore && <Button label={texts.more} variant="plain" onClick={more} />}
        </div>
      )}
    </fieldset>
  );
}
