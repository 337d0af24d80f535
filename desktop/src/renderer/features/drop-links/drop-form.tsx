// Terms of a drop link, which are set when it is created and changed later: as text, until they are sent.
import type { DropField, DropLink } from '@recordproof/shared/api/drop-links.ts';
import { type DropLinkTexts, dropLinkWords } from '@recordproof/shared/words/app-drops.ts';
import { useTexts, useWords } from '../../context.ts';
import { Field, TextArea } from '../../ui/form.tsx';

type Filling = { readonly terms: Terms; readonly onTerms: (terms: Terms) => void };

export function TextFields({ terms, onTerms }: Filling) {
  const texts = useWords(dropLinkWords);
  const { sharing } = useTexts();
  const set = (name: keyof Terms) => (text: string) => onTerms({ ...terms, [name]: text });
  return (
    <>
      <Field label={texts.title} value={terms.title} onText={set('title')} required maxLength={100} dir="auto" />
      <TextArea
        label={sharing.optionalLabel(texts.message)}
        value={terms.message}
        onText={set('message')}
        maxLength={2000}
        rows={3}
      />
    </>
  );
}

export function LimitFields({ terms, onTerms }: Filling) {
  const texts = useWords(dropLinkWords);
  const number = (name: 'maxFiles' | 'maxMegabytes' | 'maxPerAddress', max: number) => (
    <Field
      label={texts[name]}
      type="number"
      inputMode="numeric"
      value={terms[name]}
      onText={text => onTerms({ ...terms, [name]: text })}
      required
      min={1}
      max={max}
    />
  );
  return (
    <div className="pair">
      {number('maxFiles', 10_000)}
      {number('maxMegabytes', 2 ** 30)}
      {number('maxPerAddress', 10_000)}
    </div>
  );
}

const MiB = 2 ** 20;

type Terms = {
  readonly title: string;
  readonly message: string;
  readonly maxFiles: string;
  readonly maxMegabytes: string;
  readonly maxPerAddress: string;
};

export const firstTerms: Terms = {
  title: '',
  message: '',
  maxFiles: '1000',
  maxMegabytes: '10240',
  maxPerAddress: '200',
};

export const termsOf = (link: DropLink): Terms => ({
  title: link.title,
  message: link.message ?? '',
  maxFiles: String(link.maxFiles),
  maxMegabytes: String(Math.max(1, Math.round(link.maxBytes / MiB))),
  maxPerAddress: String(link.maxFilesPerAddress),
});

export const toTerms = ({ title, message, maxFiles, maxMegabytes, maxPerAddress }: Terms) => ({
  title: title.trim(),
  message: message.trim() === '' ? null : message,
  maxFiles: Number(maxFiles),
  maxBytes: Number(maxMegabytes) * MiB,
  maxFilesPerAddress: Number(maxPerAddress),
});

type RequestedFields = { readonly name: boolean; readonly mail: boolean; readonly others: string };

export const toFields = ({ name, mail, others }: RequestedFields, texts: DropLinkTexts): DropField[] => [
  ...(name ? [{ label: texts.askName, kind: 'NAME' as const, required: true }] : []),
  ...(mail ? [{ label: texts.askMail, kind: 'MAIL' as const, required: true }] : []),
  ...others
    .split(/[,，]/)
    .map(label => label.trim())
    .filter(label => label !== '')
    .map(label => ({ label, kind: 'TEXT' as const, required: true })),
];
