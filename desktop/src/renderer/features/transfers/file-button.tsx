// Button that opens the system's dialog for files or a folder.
import { useRef } from 'react';
import type { ChosenFile } from '../../../bridge/bridge.ts';
import { pickFiles, pickFolder } from '../../../bridge/file-handles.ts';
import { useBridge } from '../../context.ts';
import { Button, type ButtonVariant } from '../../ui/button.tsx';
import { useAction } from '../../ui/hooks.ts';
import type { IconName } from '../../ui/icon.tsx';
import { Problem } from '../../ui/states.tsx';
import { fromHandles, fromInput } from './chosen-files.ts';

type Choosing = {
  readonly onChosen: (chosen: ChosenFile[]) => Promise<void>;
  readonly into?: string;
  readonly variant?: ButtonVariant;
  readonly icon?: IconName;
  readonly many?: boolean;
  readonly folder?: boolean;
  readonly label: string;
  /** The transfer that it is about, for screen readers. */
  readonly of?: string;
};

export function FileButton({ onChosen, into = '', many = false, folder = false, label, of, ...button }: Choosing) {
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
      <Button
        label={label}
        of={of}
        {...button}
        disabled={isBusy}
        onClick={wantsHandles ? () => run(pick) : () => input.current?.click()}
      />
      <input
        ref={input}
        type="file"
        hidden
        multiple={many}
        onChange={take}
        aria-label={of === undefined ? label : `${label}: ${of}`}
        {...(folder && { webkitdirectory: '' })}
      />
      {error !== null && <Problem error={error} />}
    </>
  );
}
