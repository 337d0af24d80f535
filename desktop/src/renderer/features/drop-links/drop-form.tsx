// Fields of a drop link that can be set when it is created and changed later.
import { dropLinkWords } from '@recordproof/shared/words/app-drops.ts';
import { useTexts, useWords } from '../../context.ts';
import { Field, TextArea } from '../../ui/form.tsx';
import type { Terms } from './drop-terms.ts';

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
