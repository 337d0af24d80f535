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
  const texts = useTexts();
  return (
    <AskDialog
      title={texts.file.removeAsk(files.length)}
      text={texts.file.removeText}
      yes={texts.file.remove}
      act={act}
      onClose={onClose}
    >
      <ul className="named">
        {files.slice(0, mostNamed).map(file => (
          <li key={file.id}>
            <FileName name={file.fileName} />
          </li>
        ))}
        {files.length > mostNamed && <li className="quiet">{texts.transfer.andMore(files.length - mostNamed)}</li>}
      </ul>
    </AskDialog>
  );
}
