// Terms, texts and recipients of a link, with their fields.
import { socialWords } from '@recordproof/shared/words/app-social.ts';
import { useState } from 'react';
import { useTexts, useWords } from '../../context.ts';
import { Field, Segments, TextArea } from '../../ui/form.tsx';

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

export const minutesOf = { hour: 60, day: 1440, week: 10_080, month: 43_200 } as const;
export type Lifetime = keyof typeof minutesOf;

type TextProps = { readonly value: string; readonly onText: (text: string) => void };
type PasswordProps = TextProps & { readonly label: string; readonly required?: boolean };

export const LinkPassword = (props: PasswordProps) => (
  <Field type="password" autoComplete="off" minLength={4} maxLength={64} {...props} />
);

type TermChange = {
  readonly hasPassword: boolean;
  readonly endsLabel: string;
  readonly lifetimes: Readonly<Partial<Record<Lifetime, string>>>;
};

/** Lifetime and password of a link that exists: kept, unless others are chosen in these fields. */
export function useTermChange({ hasPassword, endsLabel, lifetimes }: TermChange) {
  const { sharing } = useTexts();
  const { links } = useWords(socialWords);
  const [lifetime, setLifetime] = useState<Lifetime | 'keep'>('keep');
  const [secret, setSecret] = useState<'keep' | 'other' | 'none'>('keep');
  const [password, setPassword] = useState('');
  const termChange = {
    ...(lifetime !== 'keep' && { expireMinutes: minutesOf[lifetime] }),
    ...(secret === 'other' && { password }),
    ...(secret === 'none' && { password: null }),
  };
  const options = { keep: links.keep, ...lifetimes };
  const lifetimeField = <Segments label={endsLabel} value={lifetime} options={options} onChoose={setLifetime} />;
  const secrets = { keep: links.keep, other: links.newPassword, ...(hasPassword && { none: links.noPassword }) };
  const passwordFields = (
    <>
      <Segments label={sharing.password} value={secret} options={secrets} onChoose={setSecret} />
      {secret === 'other' && <LinkPassword label={links.newPassword} value={password} onText={setPassword} required />}
    </>
  );
  return { termChange, lifetimeField, passwordFields };
}

export function LimitField(props: TextProps) {
  const { sharing } = useTexts();
  const { links } = useWords(socialWords);
  const label = sharing.optionalLabel(links.limit);
  return <Field label={label} type="number" inputMode="numeric" min={1} max={1_000_000} {...props} />;
}

/** Null for an empty field: no limit. */
export const toLimit = (typed: string): number | null => (typed.trim() === '' ? null : Number(typed));
