// Upload of chosen files, with a question for each name conflict in the folder.
import { toShownName } from '@recordproof/shared/shown-name.ts';
import { folderWords } from '@recordproof/shared/words/app-folders.ts';
import { type ReactNode, useState } from 'react';
import type { Bridge, ChosenFile } from '../../../bridge/bridge.ts';
import { useBridge, useWords } from '../../context.ts';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { Checkbox } from '../../ui/form.tsx';
import { useAction } from '../../ui/hooks.ts';
import { Problem } from '../../ui/states.tsx';
import { type ConflictChoice, findTaken, findTakenBy, type Taken, toUploads } from './name-conflicts.ts';

type Answers = ReadonlyMap<ChosenFile, ConflictChoice>;
type Question = { readonly chosen: readonly ChosenFile[]; readonly taken: Taken; readonly answers: Answers };

const listOpen = ({ chosen, taken, answers }: Question): ChosenFile[] =>
  chosen.filter(one => findTakenBy(taken, one) && !answers.has(one));

async function start({ uploads }: Pick<Bridge, 'uploads'>, { chosen, taken, answers }: Question): Promise<void> {
  for (const { chosen: files, targetFileId } of toUploads(chosen, taken, one => answers.get(one)))
    await uploads.add(files, targetFileId === undefined ? {} : { targetFileId });
}

export function useSending(): {
  readonly send: (chosen: readonly ChosenFile[]) => Promise<void>;
  readonly dialog: ReactNode;
} {
  const bridge = useBridge();
  const [question, setQuestion] = useState<Question | null>(null);
  const send = async (chosen: readonly ChosenFile[]) => {
    if (chosen.length === 0) return;
    const pendingSend = { chosen, taken: await findTaken(bridge.call, chosen), answers: new Map() };
    if (listOpen(pendingSend).length > 0) setQuestion(pendingSend);
    else await start(bridge, pendingSend);
  };
  const close = () => setQuestion(null);
  const dialog = question && <TakenDialog question={question} onAnswer={setQuestion} onClose={close} />;
  return { send, dialog };
}

type Asking = {
  readonly question: Question;
  readonly onAnswer: (question: Question) => void;
  readonly onClose: () => void;
};

function TakenDialog({ question, onAnswer, onClose }: Asking) {
  const texts = useWords(folderWords);
  const bridge = useBridge();
  const [forOthers, setForOthers] = useState(false);
  const open = listOpen(question);
  const { run, isBusy, error } = useAction(async (choice: ConflictChoice) => {
    const answered = forOthers ? open : open.slice(0, 1);
    const answers = new Map([...question.answers, ...answered.map(one => [one, choice] as const)]);
    const next = { ...question, answers };
    if (listOpen(next).length > 0) return onAnswer(next);
    await start(bridge, next);
    onClose();
  });
  const [first] = open;
  if (!first) return null;
  // The desktop program uploads files by their paths, and so under their own names.
  const canRename = !bridge.capabilities.choosesWhereToSave;
  const choices: readonly ConflictChoice[] = canRename ? ['newVersion', 'keepBoth', 'skip'] : ['newVersion', 'skip'];
  return (
    <Dialog title={texts.sameTitle(toShownName(first.file.name))} onClose={onClose}>
      <div className="form">
        <p>{texts.sameText(first.folder === null ? texts.top : toShownName(first.folder))}</p>
        {open.length > 1 && (
          <Checkbox label={texts.forOthers(open.length - 1)} checked={forOthers} onCheck={setForOthers} />
        )}
        <Problem error={error} />
        <div className="actions">
          {choices.map(choice => (
            <Button
              key={choice}
              label={texts[choice]}
              variant={choice === 'newVersion' ? '' : 'plain'}
              disabled={isBusy}
              onClick={() => run(choice)}
            />
          ))}
        </div>
      </div>
    </Dialog>
  );
}
