// Button that opens the system's dialog for files or a folder.
import { type ReactNode, useRef } from 'react';
import type { ChosenFile } from '../../../bridge/bridge.ts';
import { pickFiles, pickFolder } from '../../../bridge/file-handles.ts';
import { useBridge } from '../../context.ts';
import { useAction } from '../../ui/hooks.ts';
import { Problem } from '../../ui/states.tsx';
import { fromHandles, fromInput } from './chosen-files.ts';

type Choosing = {
  readonly onChosen: (chosen: ChosenFile[]) => Promise<void>;
  readonly children: ReactNode;
  readonly into?: string;
  readonly variant?: 'plain' | 'bare';
  readonly many?: boolean;
  readonly folder?: boolean;
  readonly label?: string;
};

export function FileButton({ onChosen, children, into = '', variant, many = false, folder = false, label }: Choosing) {
  const { wantsHandles } = useBridge().capabilities;
  const input = useRef<HTMLInputElement>(null);
  const { run, isBusy, error } = useAction(async (find: () => Promise<ChosenFile[]>) => {
    const chosen = await find();
    if (chosen.length > 0) await onChosen(chosen);
  });
  const take = () => {
    const { current } = input;
    if (!current?.files) return;
    const chosen = fromInput(current.files, into);
    current.value = ''; // so that the same file can be chosen again
    run(async () => chosen);
  };
  const pick = async () =>
    fromHandles(folder ? [await pickFolder()].filter(one => one !== undefined) : await pickFiles(many), into);
  return (
    <>
      <button
        type="button"
        {...(variant && { className: variant })}
        disabled={isBusy}
        onClick={wantsHandles ? () => run(pick) : () => input.current?.click()}
      >
        {children}
      </button>
      <input
        ref={input}
        type="file"
        hidden
        multiple={many}
        onChange={take}
        aria-label={label}
        {...(folder && { webkitdirectory: '' })}
      />
      {error !== null && <Problem error={error} />}
    </>
  );
}
