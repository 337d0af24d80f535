// Forms: the frame, and its fields.

import { type InputHTMLAttributes, type ReactNode, type TextareaHTMLAttributes, useId } from 'react';

type FormProps = { readonly onSend: () => void; readonly className?: string; readonly children: ReactNode };

/** Submitted by `onSend`, not by the browser. */
export const Form = ({ onSend, className = 'form', children }: FormProps) => (
  <form
    className={className}
    onSubmit={event => {
      event.preventDefault();
      onSend();
    }}
  >
    {children}
  </form>
);

type FieldProps = Omit<InputHTMLAttributes<HTMLInputElement>, 'onChange'> & {
  readonly label: string;
  readonly hint?: string;
  readonly onText?: (text: string) => void;
  readonly onFile?: (file: File | undefined) => void;
  readonly onFiles?: (files: readonly File[]) => void;
};

export function Field({ label, hint, onText, onFile, onFiles, ...more }: FieldProps) {
  const id = useId();
  return (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      <input
        id={id}
        {...(hint !== undefined && { 'aria-describedby': `${id}-hint` })}
        {...more}
        onChange={({ target }) => {
          onText?.(target.value);
          onFile?.(target.files?.[0]);
          onFiles?.([...(target.files ?? [])]);
        }}
      />
      {hint !== undefined && <small id={`${id}-hint`}>{hint}</small>}
    </div>
  );
}

type Choice<T extends string> = {
  readonly label: string;
  readonly value: T;
  readonly options: Readonly<Partial<Record<T, string>>>;
  readonly onChoose: (value: T) => void;
};

export function Segments<T extends string>({ label, value, options, onChoose }: Choice<T>) {
  const name = useId();
  return (
    <div className="setting">
      <h3 id={name}>{label}</h3>
      <div className="segments" role="radiogroup" aria-labelledby={name}>
        {(Object.entries(options) as [T, string][]).map(([option, text]) => (
          <label key={option}>
            <input type="radio" name={name} checked={option === value} onChange={() => onChoose(option)} />
            {text}
          </label>
        ))}
      </div>
    </div>
  );
}

type AreaProps = Omit<TextareaHTMLAttributes<HTMLTextAreaElement>, 'onChange'> & {
  readonly label: string;
  readonly onText: (text: string) => void;
};

export function TextArea({ label, onText, ...more }: AreaProps) {
  const id = useId();
  return (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      <textarea id={id} dir="auto" {...more} onChange={({ target }) => onText(target.value)} />
    </div>
  );
}
