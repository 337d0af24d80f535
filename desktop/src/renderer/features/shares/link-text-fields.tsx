// Fields of a link's texts and recipients.

import { socialWords } from '@recordproof/shared/words/app-social.ts';
import { useWords } from '../../context.ts';
import { Field, TextArea } from '../../ui/form.tsx';

export type LinkTexts = { readonly title: string; readonly message: string; readonly mailTo: string };

type Fields = { readonly linkTexts: LinkTexts; readonly onChange: (linkTexts: LinkTexts) => void };

export function LinkTextFields({ linkTexts, onChange }: Fields) {
  const { links } = useWords(socialWords);
  const change = (part: Partial<LinkTexts>) => onChange({ ...linkTexts, ...part });
  return (
    <>
      <Field
        label={links.title}
        value={linkTexts.title}
        onText={title => change({ title })}
        maxLength={100}
        hint={links.said}
      />
      <TextArea
        label={links.message}
        value={linkTexts.message}
        onText={message => change({ message })}
        maxLength={2000}
        rows={3}
      />
      <Field
        label={links.mailTo}
        value={linkTexts.mailTo}
        onText={mailTo => change({ mailTo })}
        maxLength={4000}
        hint={links.mailToHint}
        autoComplete="off"
      />
    </>
  );
}

export const toRecipients = (typed: string): string[] => typed.split(/[\s,;，；、]+/).filter(one => one !== '');
