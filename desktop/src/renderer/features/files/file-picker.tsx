// Picker for some of one's own files: the newest, or those that a search finds.
import { type File, listFiles } from '@recordproof/shared/api/files.ts';
import { toShownName } from '@recordproof/shared/shown-name.ts';
import { useState } from 'react';
import { useBridge, useSay } from '../../context.ts';
import { formatSize } from '../../format.ts';
import { useDebounced, useLoad } from '../../ui/hooks.ts';
import { Problem } from '../../ui/states.tsx';

type Picking = {
  readonly chosen: readonly File[];
  readonly onChoose: (files: readonly File[]) => void;
  readonly most: number;
};

const shown = 20;

export function FilePicker({ chosen, onChoose, most }: Picking) {
  const say = useSay();
  const { call } = useBridge();
  const [typed, setTyped] = useState('');
  const keyword = useDebounced(typed.trim());
  const { state } = useLoad(keyword, signal =>
    call(listFiles, { query: { size: shown, ...(keyword !== '' && { keyword }) }, signal }),
  );
  const isChosen = (file: File) => chosen.some(({ id }) => id === file.id);
  const toggle = (file: File) =>
    onChoose(isChosen(file) ? chosen.filter(({ id }) => id !== file.id) : [...chosen, file]);
  return (
    <fieldset className="picker">
      <legend className="number">{say.list.selected(chosen.length)}</legend>
      <input
        type="search"
        value={typed}
        onChange={event => setTyped(event.target.value)}
        aria-label={say.list.search}
        placeholder={say.list.search}
        maxLength={255}
      />
      {state.kind === 'failed' && <Problem error={state.error} />}
      {state.kind === 'ready' && state.value.total === 0 && <p className="quiet small">{say.list.nothing}</p>}
      {state.kind === 'ready' && (
        <ul>
          {state.value.records.map(file => (
            <li key={file.id}>
              <label className="check">
                <input
                  type="checkbox"
                  checked={isChosen(file)}
                  disabled={!isChosen(file) && chosen.length >= most}
                  onChange={() => toggle(file)}
                />
                <bdi className="cut">{toShownName(file.fileName)}</bdi>
                <span className="quiet small number">{formatSize(file.fileSize)}</span>
              </label>
            </li>
          ))}
        </ul>
      )}
    </fieldset>
  );
}
