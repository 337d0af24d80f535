// Button that saves files of a share as one's own.
import { socialWords } from '@recordproof/shared/words/app-social.ts';
import { useState } from 'react';
import { useAccount, useTexts, useWords } from '../../context.ts';
import { toHref } from '../../router.ts';
import { Button } from '../../ui/button.tsx';
import { useAction } from '../../ui/hooks.ts';
import { Problem } from '../../ui/states.tsx';

export function SaveSharedButton({ save, hint }: { readonly save: () => Promise<void>; readonly hint: string }) {
  const texts = useTexts();
  const { gifts } = useWords(socialWords);
  const maySave = useAccount().permissions.includes('file:write');
  const [isSaved, setSaved] = useState(false);
  const { run, isBusy, error } = useAction(async () => {
    await save();
    setSaved(true);
  });
  if (!maySave) return null;
  return (
    <>
      <div className="actions">
        {isSaved ? (
          <p role="status">
            {gifts.saved} <a href={toHref('files')}>{texts.files}</a>
          </p>
        ) : (
          <>
            <Button label={gifts.save} disabled={isBusy} onClick={() => run()} />
            <span className="quiet small">{hint}</span>
          </>
        )}
      </div>
      <Problem error={error} />
    </>
  );
}
