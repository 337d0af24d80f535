// Dialog that asks before files are deleted, and names them.
import type { File } from '@recordproof/shared/api/files.ts';
import { useTexts } from '../../context.ts';
import { AskDialog } from '../../ui/dialog.tsx';
import { FileName } from '../../ui/file-name.tsx';

type Deleting = {
  readonly files: readonly File[];
  readonly act: () => Promise<unknown>;
  readonly onClose: () => void;
};

const mostNamed = 5;

export function DeleteDialog({ files, act, onClose }: Deleting) {
  const say = useTexts();
  return (
    <AskDialog
      title={say.file.removeAsk(files.length)}
      text={say.file.removeText}
      yes={say.file.remove}
      act={act}
      onClose={onClose}
    >
      <ul className="named">
        {files.slice(0, mostNamed).map(file => (
          <li key={file.id}>
            <FileName name={file.fileName} />
          </li>
        ))}
        {files.length > mostNamed && <li className="quiet">{say.transfer.andMore(files.length - mostNamed)}</li>}
      </ul>
    </AskDialog>
  );
}
