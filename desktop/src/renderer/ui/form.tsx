// Forms: the frame, and its fields.
import { type InputHTMLAttributes, type ReactNode, type TextareaHTMLAttributes, useId } from 'react';
import { Icon } from './icon.tsx';
import { Problem } from './states.tsx';

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

type ActionFormProps = {
  readonly action: { readonly run: () => unknown; readonly isBusy: boolean; readonly error: unknown };
  /** The text of the button. */
  readonly submit: string;
  readonly variant?: 'plain';
  /** False while something is missing that the browser does not check. */
  readonly isComplete?: boolean;
  /** Instead of the error. */
  readonly problem?: ReactNode;
  /** The button is as wide as its text; otherwise as the form. */
  readonly inRow?: boolean;
  readonly beside?: ReactNode;
  readonly className?: string;
  readonly children: ReactNode;
};

/** Runs an action, and shows its error above the button. */
export function ActionForm({ action, submit, variant, isComplete = true, problem, beside, ...form }: ActionFormProps) {
  const { inRow = beside !== undefined, className, children } = form;
  const button = (
    <button type="submit" className={variant} disabled={action.isBusy || !isComplete}>
      {submit}
    </button>
  );
  return (
    <Form onSend={action.run} {...(className && { className })}>
      {children}
      {problem || <Problem error={action.error} />}
      {inRow ? (
        <div className="actions">
          {button}
          {beside}
        </div>
      ) : (
        button
      )}
    </Form>
  );
}

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

type PasswordProps = { readonly label: string; readonly value: string; readonly onText: (text: string) => void };

/** A password that exists already. */
export const CurrentPassword = (props: PasswordProps & { readonly autoFocus?: boolean }) => (
  <Field type="password" autoComplete="current-password" required {...props} />
);

type CheckboxProps = {
  readonly label: ReactNode;
  readonly hint?: string;
  readonly checked: boolean;
  readonly disabled?: boolean;
  readonly onCheck: (isChecked: boolean) => void;
};

export function Checkbox({ label, hint, onCheck, ...more }: CheckboxProps) {
  const id = useId();
  const box = (
    <label className="check">
      <input
        type="checkbox"
        {...(hint !== undefined && { 'aria-describedby': id })}
        {...more}
        onChange={({ target }) => onCheck(target.checked)}
      />
      {label}
    </label>
  );
  if (hint === undefined) return box;
  return (
    <div className="field">
      {box}
      <small id={id}>{hint}</small>
    </div>
  );
}

type SearchProps = Omit<InputHTMLAttributes<HTMLInputElement>, 'onChange'> & {
  readonly label: string;
  readonly onText: (text: string) => void;
};

export const SearchField = ({ label, onText, ...more }: SearchProps) => (
  <search className="search">
    <Icon name="search" />
    <input type="search" aria-label={label} {...more} onChange={({ target }) => onText(target.value)} />
  </search>
);

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
