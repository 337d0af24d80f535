// Files and recipients of a link, each with a button that removes it when the change is sent.
import type { File } from '@recordproof/shared/api/files.ts';
import { maxSharedFiles, type Share } from '@recordproof/shared/api/shares.ts';
import { toShownName } from '@recordproof/shared/shown-name.ts';
import { socialWords } from '@recordproof/shared/words/app-social.ts';
import { useState } from 'react';
import { useLanguage, useWords } from '../../context.ts';
import { formatTime } from '../../format.ts';
import { Button } from '../../ui/button.tsx';
import { FilePicker } from '../files/file-picker.tsx';

export type ListChange = {
  readonly added: readonly File[];
  /** Hashes. */
  readonly removed: readonly string[];
  /** Recipients. */
  readonly unlisted: readonly string[];
};

export const noListChange: ListChange = { added: [], removed: [], unlisted: [] };

type Lists = { readonly share: Share; readonly change: ListChange; readonly onChange: (change: ListChange) => void };

/** Of a fixed set: a share with later files gives the current content of its folder. */
export function ShareFiles({ share, change, onChange }: Lists) {
  const { links } = useWords(socialWords);
  const [isAdding, setAdding] = useState(false);
  const left = share.files.filter(({ fileHash }) => !change.removed.includes(fileHash));
  const remove = (fileHash: string) => onChange({ ...change, removed: [...change.removed, fileHash] });
  return (
    <div className="setting">
      <h3>{links.given}</h3>
      <ul className="lines">
        {left.map(({ fileHash, fileName }) => (
          <li key={fileHash}>
            <span className="cut">{toShownName(fileName)}</span>
            {left.length + change.added.length > 1 && (
              <Button label={links.takeOut} of={fileName} variant="bare" onClick={() => remove(fileHash)} />
            )}
          </li>
        ))}
      </ul>
      {isAdding ? (
        <FilePicker
          chosen={change.added}
          onChoose={added => onChange({ ...change, added })}
          most={Math.max(0, maxSharedFiles - left.length)}
        />
      ) : (
        <div className="actions">
          <Button label={links.addFiles} variant="plain" onClick={() => setAdding(true)} />
        </div>
      )}
    </div>
  );
}

export function Recipients({ share: { recipients = [] }, change, onChange }: Lists) {
  const { links } = useWords(socialWords);
  const language = useLanguage();
  const left = recipients.filter(({ recipient }) => !change.unlisted.includes(recipient));
  if (left.length === 0) return null;
  return (
    <div className="setting">
      <h3>{links.recipients}</h3>
      <ul className="lines">
        {left.map(({ recipient, mailedAt }) => (
          <li key={recipient}>
            <span className="cut">{recipient}</span>
            <span className="quiet small">
              {mailedAt === null ? links.notMailed : links.mailed(formatTime(mailedAt, language))}
            </span>
            <Button
              label={links.unlist}
              of={recipient}
              variant="bare"
              onClick={() => onChange({ ...change, unlisted: [...change.unlisted, recipient] })}
            />
          </li>
        ))}
      </ul>
    </div>
  );
}
