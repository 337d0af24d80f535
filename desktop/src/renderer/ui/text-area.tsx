import { type TextareaHTMLAttributes, useId } from 'react';

type AreaProps = Omit<TextareaHTMLAttributes<HTMLTextAreaElement>, 'onChange'> & {
  readonly label: string;
  readonly onText: (text: string) => void;
};

/** Text in lines, under its label. */
export function TextArea({ label, onText, ...more }: AreaProps) {
  const id = useId();
  return (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      <textarea id={id} dir="auto" {...more} onChange={({ target }) => onText(target.value)} />
    </div>
  );
}
